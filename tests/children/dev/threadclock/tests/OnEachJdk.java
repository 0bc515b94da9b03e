// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** Marks a test that takes a TestJdk and runs on those of {@link JdksOfTest} with such a feature release. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}", allowZeroInvocations = true)
@ArgumentsSource(JdksOfTest.class)
@interface OnEachJdk {
    int from() default 8;

    int before() default Integer.MAX_VALUE;

    /** Whether it runs on those of {@link TestJdk#thorough} instead, whatever these are. */
    boolean thorough() default false;
}
