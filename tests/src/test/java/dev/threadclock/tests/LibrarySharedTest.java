// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibraryShared;
import java.util.List;

/** There is only one native library per process: if the agent is loaded, its copy answers the Java API. */
class LibrarySharedTest {
    @OnEachJdk
    void withoutTheAgentTheJarsOwnAnswers(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibraryShared.class).ok();
        assertThat(result.value("library")).as(result.toString()).endsWith("/libthreadclock.so_(deleted)");
    }

    @OnEachJdk
    void withTheAgentItsCopyAnswers(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of("-agentpath:" + Product.LIBRARY), LibraryShared.class)
                .ok();
        assertThat(result.value("library")).as(result.toString())
                .isEqualTo(Product.LIBRARY.toString().replace(' ', '_'));
        assertThat(result.number("user")).isNotNegative();
    }
}
