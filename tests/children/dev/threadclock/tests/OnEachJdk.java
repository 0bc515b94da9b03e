// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Marks a test that takes a TestJdk and runs on those of {@link TestJdk#of} with such a feature release. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}", allowZeroInvocations = true)
@ArgumentsSource(OnEachJdk.Source.class)
@interface OnEachJdk {
    int from() default 8;

    int before() default Integer.MAX_VALUE;

    /** Whether it runs on those of {@link TestJdk#thorough} instead, whatever these are. */
    boolean thorough() default false;

    /** The test's arguments. */
    final class Source implements ArgumentsProvider {
        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            OnEachJdk wanted = context.getRequiredTestMethod().getAnnotation(OnEachJdk.class);
            String test = context.getRequiredTestClass().getSimpleName()
                    + context.getRequiredTestMethod().getName();
            return (wanted.thorough() ? TestJdk.thorough().stream()
                    : TestJdk.of(test, wanted.from()).filter(jdk -> jdk.feature() < wanted.before()))
                    .map(Arguments::of);
        }
    }
}
