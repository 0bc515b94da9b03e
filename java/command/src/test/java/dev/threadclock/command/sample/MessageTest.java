// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.threadclock.CpuSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The agent's messages are parsed, and invalid ones are refused. */
class MessageTest {
    private final ByteBuffer out = ByteBuffer.allocate(1000).order(ByteOrder.LITTLE_ENDIAN);

    private void text(byte[] bytes) {
        out.putShort((short) bytes.length).put(bytes);
    }

    private void row(long serial, long javaId, int carrier, int state, byte[] name) {
        out.put((byte) 2).putLong(serial).putInt(9).putLong(javaId).putInt(carrier).putInt(state);
        text(name);
    }

    private String nameOf(long javaId, byte[] name) throws IOException {
        out.clear();
        row(8, javaId, 0, 'R', name);
        return parse().rows.get(0).name();
    }

    private Message parse() throws IOException {
        return Message.parse(Arrays.copyOf(out.array(), out.position()));
    }

    @Test
    void aSampleHasItsMomentAndItsThreads() throws IOException {
        out.put((byte) 1).putLong(5).putLong(6).putLong(1).putLong(2).putLong(3);
        row(8, 0, 0, '?', "main".getBytes(StandardCharsets.UTF_8));
        out.put((byte) 3).putLong(8).putLong(5).putLong(6).putLong(11).putLong(-3);
        out.put((byte) 4).putLong(10);
        Message message = parse();
        assertThat(message.moment).contains(new Message.Moment(5, 6, new CpuSnapshot(1, 2, 3)));
        assertThat(message.rows).containsExactly(new Message.Row(8, 9, 0, false, '?', "main"));
        assertThat(message.ran).containsExactly(new Message.Ran(8, new CpuSnapshot(5, 6, 11), -3));
        assertThat(message.gone).containsExactly(10L);
    }

    @Test
    void namesComeInTheJvmsModifiedUtf8() throws IOException {
        // U+1F600 as two surrogates.
        assertThat(nameOf(7, new byte[]{(byte) 0xed, (byte) 0xa0, (byte) 0xbd, (byte) 0xed, (byte) 0xb8,
            (byte) 0x80})).isEqualTo("\uD83D\uDE00");
        // A name that was cut in the middle.
        assertThat(nameOf(7, new byte[]{'a', (byte) 0xed, (byte) 0xa0, (byte) 0xbd}))
                .as("what every encoder takes").isEqualTo("a?");
    }

    @Test
    void aNameDoesNotReachTheTerminalWithControlCharacters() throws IOException {
        // U+009B is equivalent to escape and bracket.
        assertThat(nameOf(7, "\033[2Jred\u009b31m\nmain".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("?[2Jred?31m; main");
        assertThat(nameOf(0, "\u009b31m\nmain".getBytes(StandardCharsets.UTF_8))).isEqualTo("?31m; main");
    }

    @Test
    void theKernelsNameOfANativeThreadMayHaveAnyBytes() throws IOException {
        assertThat(nameOf(0, new byte[]{'a', (byte) 0xff, 'b'})).isEqualTo("a\uFFFDb");
    }

    @Test
    void framesSayWhetherTheThreadRanMeanwhile() throws IOException {
        for (int[] sent : new int[][]{{-1, 1}, {0, 0}, {7, 1}}) {
            out.clear();
            if (sent[0] >= 0) {
                out.put((byte) 8).putLong(sent[0]);
            }
            out.put((byte) 5).putLong(3);
            text("a.B.c(B.java:1)\nd.E.f".getBytes(StandardCharsets.UTF_8));
            assertThat(parse().stack).contains(new Message.Stack(3,
                    new Sampling.Frames(List.of("a.B.c(B.java:1)", "d.E.f"), sent[1] == 1)));
        }
    }

    @Test
    void groupsOfVirtualThreadsFollowTheirMomentAndAreMergedByWhatIsPrintable() throws IOException {
        assertThat(parse().virtual).isEmpty();
        out.put((byte) 6).putLong(4).putInt(3);
        for (String name : List.of("worker\1*", "main", "worker\2*")) {
            out.put((byte) 7).putInt(20).putInt(1).putLong(1).putLong(2).putLong(3);
            text(name.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(parse().virtual).contains(new Message.Virtual(4, 3,
                List.of(new Message.Group(40, 2, new CpuSnapshot(2, 4, 6), "worker?*"),
                        new Message.Group(20, 1, new CpuSnapshot(1, 2, 3), "main"))));
    }

    @Test
    void aRowSaysWhetherTheThreadCarriesVirtualThreads() throws IOException {
        for (int carrier = 0; carrier <= 1; carrier++) {
            out.clear();
            row(8, 12, carrier, 'R', new byte[]{'a'});
            assertThat(parse().rows)
                    .containsExactly(new Message.Row(8, 9, 12, carrier == 1, 'R', "a"));
        }
    }

    @Test
    void accountingWithoutVirtualThreadsDiffersFromNoAccounting() throws IOException {
        out.put((byte) 6).putLong(4).putInt(3);
        assertThat(parse().virtual).contains(new Message.Virtual(4, 3, List.of()));
    }

    /** As many groups as fit; comparing each with all before it would take minutes. */
    @Test
    void theLargestMessageIsParsedInLinearTime() {
        ByteBuffer all = ByteBuffer.allocate(1 << 25).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; all.remaining() > 100; i++) {
            byte[] name = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
            all.put((byte) 7).put(new byte[32]).putShort((short) name.length).put(name);
        }
        byte[] bytes = Arrays.copyOf(all.array(), all.position());
        assertTimeoutPreemptively(Duration.ofSeconds(100), () -> Message.parse(bytes));
    }

    @Test
    void onlyTheLettersOfStatesPass() throws IOException {
        for (int letter : new int[]{'R', 'W', 'S', 'B', 'X', '\033', '\n', 0x9b, 0x202e, '"', ',',
            'R' << 16}) {
            out.clear();
            row(1, 7, 0, letter, new byte[]{'a'});
            assertThat(parse().rows.get(0).state())
                    .isEqualTo("RWSBX".indexOf(letter) >= 0 ? (char) letter : '?');
        }
    }

    @Test
    void truncatedOrUnknownMessagesAreRefused() {
        out.put((byte) 4).putInt(1);
        assertThatThrownBy(this::parse).isInstanceOf(IOException.class).hasMessageContaining("cut off");
        out.clear().put((byte) 99);
        assertThatThrownBy(this::parse).isInstanceOf(IOException.class).hasMessageContaining("kind 99");
    }
}
