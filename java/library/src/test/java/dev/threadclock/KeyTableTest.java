// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What readings say of keys, whatever comes and goes: no clock and no thread. */
class KeyTableTest {
    private static final int PLACES = 3;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final KeyTable table = new KeyTable(PLACES);
    private final Map<String, Long> truth = new HashMap<>();
    private final Map<String, Long> highest = new HashMap<>();
    private long all;
    private long now;

    private void use(String key, long nanos) {
        table.add(key, nanos - nanos / 4, nanos / 4);
        truth.merge(key, nanos, Long::sum);
        all += nanos;
    }

    /** Reads a process that has used 1000 besides, and checks what holds of each reading. */
    private Map<String, CpuSnapshot> read() {
        table.beginReading();
        Map<String, CpuSnapshot> reading = table.read(all, all + 1000, now);
        long sum = 0;
        for (Map.Entry<String, CpuSnapshot> each : reading.entrySet()) {
            CpuSnapshot used = each.getValue();
            sum += used.totalNanos();
            assertThat(used.userNanos() + used.systemNanos()).isEqualTo(used.totalNanos());
            assertThat(used.totalNanos()).as(each.getKey())
                    .isGreaterThanOrEqualTo(highest.getOrDefault(each.getKey(), 0L));
            highest.put(each.getKey(), used.totalNanos());
            if (!each.getKey().startsWith("(")) {
                assertThat(used.totalNanos()).isLessThanOrEqualTo(truth.get(each.getKey()));
            }
        }
        assertThat(sum).isEqualTo(all + 1000);
        assertThat(reading.size()).isLessThanOrEqualTo(PLACES + 2);
        return reading;
    }

    private static long of(Map<String, CpuSnapshot> reading, String key) {
        return reading.get(key).totalNanos();
    }

    @Test
    void theDearestHaveThePlaces() {
        for (int i = 1; i <= 10; i++) {
            use("key" + i, 100 * i);
        }
        Map<String, CpuSnapshot> reading = read();
        assertThat(reading.keySet()).containsExactly("key10", "key9", "key8", CpuAttribution.OTHER,
                CpuAttribution.UNATTRIBUTED);
        assertThat(of(reading, "key10")).isEqualTo(1000);
        assertThat(of(reading, CpuAttribution.OTHER)).isEqualTo(2800);
        assertThat(of(reading, CpuAttribution.UNATTRIBUTED)).isEqualTo(1000);
    }

    /** What it used without a place leaves the others only as far as they do not decrease. */
    @Test
    void aKeyThatBecomesDearGetsThePlaceOfOneThatIsIdle() {
        for (int i = 1; i <= PLACES; i++) {
            use("old" + i, 1000 * i);
        }
        use("new", 500);
        assertThat(of(read(), CpuAttribution.OTHER)).isEqualTo(500);
        now += 60 * MINUTE_NANOS;
        use("new", 600);
        Map<String, CpuSnapshot> reading = read();
        assertThat(reading.keySet()).contains("new").doesNotContain("old1");
        assertThat(of(reading, "new")).isEqualTo(1100);
        assertThat(of(reading, CpuAttribution.OTHER)).isEqualTo(1000);
    }

    @Test
    void aKeyThatComesBackGoesOnWhereItWas() {
        for (int i = 1; i <= PLACES; i++) {
            use("old" + i, 1000 * i);
        }
        read();
        for (int round = 0; round < 4; round++) {
            for (String which : new String[]{"new", "old"}) {
                now += 60 * MINUTE_NANOS;
                for (int i = 1; i <= PLACES; i++) {
                    use(which + i, 10_000 * i);
                }
                assertThat(read().keySet()).contains(which + 3);
            }
        }
        assertThat(of(read(), "old3")).isEqualTo(truth.get("old3"));
    }

    /** More keys than it can remember, most of which had a place once. */
    @Test
    void noCounterDecreasesWhateverHappens() {
        Random random = new Random(41);
        for (int i = 0; i < 20_000; i++) {
            int range = i % 5000 < 2500 ? 2000 : 20;
            use("key" + random.nextInt(range), 1 + random.nextInt(1 + 1000 * random.nextInt(10)));
            now += random.nextInt(3) * MINUTE_NANOS;
            if (random.nextInt(4) == 0) {
                read();
            }
        }
        assertThat(highest.size()).isGreaterThan(100 * PLACES);
    }

    @Test
    void ofManyKeysTheDearestLackLittle() {
        Map<String, Long> frequent = new LinkedHashMap<>();
        Random random = new Random(7);
        for (int i = 0; i < 200_000; i++) {
            String key = random.nextInt(100) < 20 ? "dear" + random.nextInt(PLACES)
                    : "cheap" + random.nextInt(100_000);
            use(key, 1000);
            if (i % 1000 == 0) {
                read();
            }
        }
        Map<String, CpuSnapshot> reading = read();
        for (int i = 0; i < PLACES; i++) {
            frequent.put("dear" + i, of(reading, "dear" + i));
        }
        frequent.forEach((key, nanos) -> assertThat(nanos).isGreaterThan(truth.get(key) * 99 / 100));
    }

    @Test
    void aKeyNamedAsTheOthersIsOneOfThem() {
        use(CpuAttribution.OTHER, 100);
        assertThat(of(read(), CpuAttribution.OTHER)).isEqualTo(100);
        assertThat(read()).hasSize(2);
    }
}
