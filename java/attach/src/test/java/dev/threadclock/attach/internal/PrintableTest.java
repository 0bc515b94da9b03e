// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Foreign text, such as the name of a thread, is safe to print. */
class PrintableTest {
    @Test
    void controlCharactersTakeNoLine() {
        assertThat(Printable.line("a\nb\u0085c\u2028d\te\u001b[31m")).isEqualTo("a; b; c; d?e?[31m");
    }

    /** An algorithm in quadratic time would take an hour. */
    @Test
    void manySpacesTakeLinearTime() {
        String spaces = " ".repeat(2_000_000);
        assertThat(Printable.line("a" + spaces + "b")).isEqualTo("a" + spaces + "b");
    }
}
