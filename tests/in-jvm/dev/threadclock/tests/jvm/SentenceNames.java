// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Derives test names from method names: userTimeNeverDecreases becomes "user time never decreases". */
public final class SentenceNames extends DisplayNameGenerator.Standard {
    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        return method.getName().replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
