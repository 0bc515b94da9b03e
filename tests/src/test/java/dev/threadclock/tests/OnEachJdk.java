// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Marks a test that takes a TestJdk and is run once on every JDK found. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@MethodSource("dev.threadclock.tests.TestJdk#all")
@interface OnEachJdk {
}
