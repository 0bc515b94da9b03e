// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** Marks a test that takes a TestJdk and is run once on every JDK found, or on its share of them. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(JdksOfTest.class)
@interface OnEachJdk {
}
