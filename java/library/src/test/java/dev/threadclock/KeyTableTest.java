// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What readings say of keys, whatever comes and goes: no clock and no thread. */
class KeyTableTest {
    private static final int PLACES = 3;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final KeyTable table = new KeyTable(PLACES);
    private final Map<String, Long> truth = new HashMap<>();
    private Map<String, CpuSnapshot> last = new HashMap<>();
    private long all;
    private long now;

    private KeyTable.Key key(String name) {
        KeyTable.Key key = table.find(name);
        return key == null ? table.add(name) : key;
    }

    private void use(String name, long nanos) {
        table.use(key(name), nanos - nanos / 4, nanos);
        truth.merge(name, nanos, Long::sum);
        all += nanos;
    }

    /** Reads a process that has used 1000 besides, and checks what holds of each reading. */
    private Map<String, CpuSnapshot> read() {
        Map<String, CpuSnapshot> reading = table.read(all, all + 1000, now);
        table.beginReading();
        assertThat(reading.values().stream().mapToLong(CpuSnapshot::totalNanos).sum()).isEqualTo(all + 1000);
        reading.forEach((name, used) -> {
            CpuSnapshot before = last.getOrDefault(name, CpuSnapshot.ZERO);
            assertThat(used.totalNanos()).as(name).isGreaterThanOrEqualTo(before.totalNanos());
            assertThat(used.userNanos()).as(name).isGreaterThanOrEqualTo(before.userNanos());
            assertThat(used.systemNanos()).as(name).isGreaterThanOrEqualTo(before.systemNanos());
            if (!name.startsWith("(")) {
                assertThat(used.totalNanos()).isLessThanOrEqualTo(truth.get(name));
            }
        });
        assertThat(reading.size()).isLessThanOrEqualTo(PLACES + 3);
        last = reading;
        return reading;
    }

    private static long of(Map<String, CpuSnapshot> reading, String name) {
        return reading.get(name).totalNanos();
    }

    @Test
    void theDearestHaveThePlaces() {
        for (int i = 1; i <= 10; i++) {
            use("key" + i, 100 * i);
        }
        Map<String, CpuSnapshot> reading = read();
        assertThat(reading.keySet()).containsExactly("key10", "key9", "key8", CpuAttribution.PAST,
                CpuAttribution.OTHER, CpuAttribution.UNATTRIBUTED);
        assertThat(of(reading, "key10")).isEqualTo(1000);
        assertThat(of(reading, CpuAttribution.PAST)).isZero();
        assertThat(of(reading, CpuAttribution.OTHER)).isEqualTo(2800);
        assertThat(of(reading, CpuAttribution.UNATTRIBUTED)).isEqualTo(1000);
    }

    /** It takes back from the others what these would get: here 200 of 500 at first, and then the rest. */
    @Test
    void aKeyThatBecomesDearGetsThePlaceOfOneThatIsIdle() {
        for (int i = 1; i <= PLACES; i++) {
            use("old" + i, 1000 * i);
        }
        use("new", 500);
        assertThat(of(read(), CpuAttribution.OTHER)).isEqualTo(500);
        now += 60 * MINUTE_NANOS;
        use("new", 600);
        use("cheap", 200);
        use("old2", 500);
        use("old3", 500);
        Map<String, CpuSnapshot> reading = read();
        assertThat(reading.keySet()).contains("new").doesNotContain("old1", "cheap");
        assertThat(of(reading, "new")).isEqualTo(800);
        assertThat(of(reading, CpuAttribution.OTHER)).isEqualTo(500);
        assertThat(of(reading, CpuAttribution.PAST)).isEqualTo(1000);
        use("cheap", 400);
        reading = read();
        assertThat(of(reading, "new")).isEqualTo(1100);
        assertThat(of(reading, CpuAttribution.OTHER)).isEqualTo(600);
    }

    /** As pools do: what it had is in the past, and the others do not jump. */
    @Test
    void aKeyThatComesBackBeginsAgain() {
        for (int round = 0; round < 4; round++) {
            for (String which : new String[]{"new", "old"}) {
                now += 60 * MINUTE_NANOS;
                for (int i = 1; i <= PLACES; i++) {
                    use(which + i, 10_000 * i);
                }
                Map<String, CpuSnapshot> reading = read();
                assertThat(of(reading, which + PLACES)).isEqualTo(10_000 * PLACES);
                assertThat(of(reading, CpuAttribution.OTHER)).isZero();
            }
        }
        assertThat(of(last, CpuAttribution.PAST)).isEqualTo(7 * 60_000);
    }

    /** More keys than it can remember, most of which had a place once; some have intervals that are open. */
    @Test
    void noCounterDecreasesWhateverHappens() {
        Random random = new Random(41);
        for (int i = 0; i < 20_000; i++) {
            int range = i % 5000 < 2500 ? 2000 : 20;
            KeyTable.Key open = key("key" + random.nextInt(range));
            long nanos = 1 + random.nextInt(1 + 1000 * random.nextInt(10));
            if (random.nextInt(4) == 0) {
                table.see(open, nanos / 2, nanos / 2);
                all += nanos / 2;
                truth.merge(open.name, nanos, Long::sum);
                read();
                all -= nanos / 2;
            }
            use("key" + random.nextInt(range), nanos); // may make it forget the open one
            table.use(open, nanos / 2, nanos);
            truth.merge(open.name, nanos, Long::sum);
            all += nanos;
            now += random.nextInt(3) * MINUTE_NANOS;
        }
        read();
        assertThat(truth.size()).isGreaterThan(100 * PLACES);
    }

    @Test
    void ofManyKeysTheDearestLackLittle() {
        Random random = new Random(7);
        for (int i = 0; i < 200_000; i++) {
            use(random.nextInt(100) < 20 ? "dear" + random.nextInt(PLACES)
                    : "cheap" + random.nextInt(100_000),
                    1000);
            if (i % 1000 == 0) {
                read();
            }
        }
        Map<String, CpuSnapshot> reading = read();
        for (int i = 0; i < PLACES; i++) {
            assertThat(of(reading, "dear" + i)).isGreaterThan(truth.get("dear" + i) * 99 / 100);
        }
    }

    @Test
    void aKeyNamedAsTheOthersIsOneOfThem() {
        use(CpuAttribution.OTHER, 100);
        use(CpuAttribution.PAST, 100);
        assertThat(of(read(), CpuAttribution.OTHER)).isEqualTo(200);
        assertThat(read()).hasSize(3);
    }
}
