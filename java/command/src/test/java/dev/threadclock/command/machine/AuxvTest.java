// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** The auxiliary vector is parsed as far as it is complete. */
class AuxvTest {
    @Test
    void theAuxiliaryVector() {
        ByteBuffer words = ByteBuffer.allocate(6 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (long word : new long[]{33, 0x7fff0000L, 27, 28, 0, 0}) {
            words.putLong(word);
        }
        Auxv auxv = Auxv.parse(words.array());
        assertThat(auxv.hasVdso()).isTrue();
        assertThat(auxv.rseqBytes()).isEqualTo(28);
        assertThat(Auxv.parse(new byte[7]).hasVdso()).isFalse();
        assertThat(Auxv.parse(new byte[16]).rseqBytes()).isZero();
    }
}
