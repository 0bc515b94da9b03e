// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The meters of one registry. A registry reads them one by one and does not report when a scrape begins, but
 * a scrape reads each of them once. So when a meter that has already reported in this scrape is read again,
 * the next scrape has begun.
 */
final class AccountMeters {
    /** Limits how long meters that are read outside of scrapes use one account. */
    private static final long LONGEST_SCRAPE_NANOS = 1_000_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String OF_GROUP = "CPU time of the threads of a group,"
            + " including those that have ended";

    private final MeterRegistry registry;
    private final Tags tags;
    private final Set<Tags> counted = new HashSet<>();
    private final Set<Tags> waiting = new HashSet<>();
    private boolean isThrottlingKnown;
    private Scrape scrape;
    private long scrapes;

    AccountMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    void begin(CpuAccount account) {
        Scrape first;
        synchronized (this) {
            first = new Scrape(account, ++scrapes);
            first.begunNanos -= LONGEST_SCRAPE_NANOS; // so that the first read begins a scrape
            scrape = first;
        }
        registerNew(first);
    }

    private static final class Scrape {
        private final CpuAccount account;
        private final long number;
        private final Map<Tags, CpuGroup> groups = new HashMap<>();
        private long begunNanos = System.nanoTime();

        Scrape(CpuAccount account, long number) {
            this.account = account;
            this.number = number;
            for (CpuGroup group : account.groups()) {
                groups.put(Tags.of("kind", group.kind().label(), "group", group.name()), group);
            }
        }
    }

    /** What one meter reports. */
    private final class Value {
        private final ToLongFunction<Scrape> quantity;
        private long answered; // the number of the last scrape
        private long last;

        Value(ToLongFunction<Scrape> quantity) {
            this.quantity = quantity;
        }

        long now() {
            return quantity.applyAsLong(scrapeOf(this));
        }

        /** An unknown value is -1 and does not make the counter decrease. */
        double counted() {
            long now = now();
            synchronized (this) {
                last = Math.max(last, now);
                return last;
            }
        }
    }

    private Scrape scrapeOf(Value value) {
        Scrape current;
        boolean isNew;
        synchronized (this) {
            isNew = value.answered == scrape.number
                    || System.nanoTime() - scrape.begunNanos >= LONGEST_SCRAPE_NANOS;
            current = isNew ? begunAnew() : scrape;
            value.answered = current.number;
        }
        if (isNew) {
            registerNew(current); // not under our lock, because it takes the registry's
        }
        return current;
    }

    /** Begins a scrape with a new account or, if that cannot be read, the last one. */
    private synchronized Scrape begunAnew() {
        try {
            scrape = new Scrape(CpuAccount.read(), ++scrapes);
        } catch (IllegalStateException e) {
            scrape = new Scrape(scrape.account, ++scrapes);
        }
        return scrape;
    }

    private void registerNew(Scrape begun) {
        begun.groups.forEach((key, group) -> {
            Tags own = tags.and(key);
            if (isNew(counted, key)) {
                counter("threadclock.cpu.time", OF_GROUP, "seconds", own.and("cpu.mode", "user"),
                        now -> now.groups.get(key).times().userNanos());
                counter("threadclock.cpu.time", OF_GROUP, "seconds", own.and("cpu.mode", "system"),
                        now -> now.groups.get(key).times().systemNanos());
                Value threads = new Value(now -> now.groups.get(key).threads());
                Gauge.builder("threadclock.threads", threads, Value::now).strongReference(true).tags(own)
                        .baseUnit("threads").description("Living threads of a group").register(registry);
            }
            if (group.waitedNanos() >= 0 && isNew(waiting, key)) {
                counter("threadclock.cpu.wait",
                        "Time for which threads of a group were runnable but waited for a CPU,"
                                + " summed over threads",
                        "seconds", own,
                        now -> now.groups.get(key).waitedNanos());
            }
        });
        if (begun.account.throttledNanos() >= 0 && isThrottlingNew()) {
            counter("threadclock.throttled.time",
                    "Time for which the CPU limit stopped the control group, summed over CPUs",
                    "seconds", tags, now -> now.account.throttledNanos());
            counter("threadclock.throttled.periods",
                    "Periods in which the control group reached its CPU limit", null, tags,
                    now -> now.account.throttledPeriods());
        }
    }

    private synchronized boolean isNew(Set<Tags> registered, Tags key) {
        return registered.add(key);
    }

    private synchronized boolean isThrottlingNew() {
        boolean isNew = !isThrottlingKnown;
        isThrottlingKnown = true;
        return isNew;
    }

    /**
     * The registry refers to the object weakly, but to the function strongly, which keeps everything alive.
     */
    private void counter(String name, String description, String unit, Tags all,
            ToLongFunction<Scrape> quantity) {
        Value value = new Value(quantity);
        double divisor = unit == null ? 1 : NANOS_PER_SECOND;
        FunctionCounter.builder(name, this, meters -> value.counted() / divisor).tags(all)
                .baseUnit(unit).description(description).register(registry);
    }
}
