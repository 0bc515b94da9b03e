// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;

/** The forms of {@link InJvmTest} for virtual threads: a class of its own, which runs beside the other. */
class InJvmVirtualTest extends InJvmTest {
    @Override
    List<Form> forms() {
        return FORMS_FOR_VIRTUAL_THREADS;
    }

    /** None; without the annotation it is no test here. */
    @Override
    Stream<DynamicNode> insideEachJdkAlone() {
        return Stream.of();
    }
}
