// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The meters of one registry. A registry reads them one by one and does not report when a scrape begins, but
 * a scrape reads each of them once. So when a meter that has already reported in this scrape is read again,
 * the next scrape has begun. Prometheus's registry walks the meters of one name after those of another, and
 * may see one that is added meanwhile: those of a new group are added while it is not at user and system,
 * which would be seen one without the other.
 */
final class AccountMeters {
    /** Limits how long meters that are read outside of scrapes use one account. */
    private static final long LONGEST_SCRAPE_NANOS = 1_000_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String OF_GROUP = "CPU time of the threads of a group,"
            + " including those that have ended";

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Tags, List<Meter>> counted = new HashMap<>();
    private final Map<Tags, List<Meter>> waiting = new HashMap<>();
    private boolean isThrottlingKnown;
    private Scrape scrape;
    private long scrapes;
    private long registered; // the number of the last scrape whose groups have their meters

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
            registered = first.number;
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

        /** -1: there is no such group any more. */
        long of(Tags key, ToLongFunction<CpuGroup> quantity) {
            CpuGroup group = groups.get(key);
            return group == null ? -1 : quantity.applyAsLong(group);
        }
    }

    /** What one meter reports. That of a group which is gone keeps its last value until it is removed. */
    private final class Value {
        private final ToLongFunction<Scrape> quantity;
        private final boolean ofPair; // user or system
        private long answered; // the number of the last scrape
        private long last;

        Value(ToLongFunction<Scrape> quantity, boolean ofPair) {
            this.quantity = quantity;
            this.ofPair = ofPair;
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
        boolean registers;
        synchronized (this) {
            boolean isNew = value.answered == scrape.number
                    || System.nanoTime() - scrape.begunNanos >= LONGEST_SCRAPE_NANOS;
            current = isNew ? begunAnew() : scrape;
            value.answered = current.number;
            // Pairs only if the last scrape read nothing else, because a filter denies it.
            registers = registered < (value.ofPair ? current.number - 1 : current.number);
            registered = registers ? current.number : registered;
        }
        if (registers) {
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
            if (isNew(counted, key)) {
                Tags own = tags.and(key);
                Value threads = new Value(now -> now.of(key, CpuGroup::threads), false);
                keep(counted, key,
                        counter("threadclock.cpu.time", OF_GROUP, "seconds", own.and("cpu.mode", "user"),
                                now -> now.of(key, known -> known.times().userNanos())),
                        counter("threadclock.cpu.time", OF_GROUP, "seconds", own.and("cpu.mode", "system"),
                                now -> now.of(key, known -> known.times().systemNanos())),
                        Gauge.builder("threadclock.threads", threads, value -> Math.max(0, value.now()))
                                .strongReference(true).tags(own).baseUnit("threads")
                                .description("Living threads of a group").register(registry));
            }
            if (group.waitedNanos() >= 0 && isNew(waiting, key)) {
                keep(waiting, key, counter("threadclock.cpu.wait",
                        "Time for which threads of a group were runnable but waited for a CPU,"
                                + " summed over threads",
                        "seconds", tags.and(key), now -> now.of(key, CpuGroup::waitedNanos)));
            }
        });
        removeGone(counted, begun);
        removeGone(waiting, begun);
        if (begun.account.throttledNanos() >= 0 && isThrottlingNew()) {
            counter("threadclock.throttled.time",
                    "Time for which the CPU limit stopped the control group, summed over CPUs",
                    "seconds", tags, now -> now.account.throttledNanos());
            counter("threadclock.throttled.periods",
                    "Periods in which the control group reached its CPU limit", null, tags,
                    now -> now.account.throttledPeriods());
        }
    }

    private synchronized boolean isNew(Map<Tags, List<Meter>> registered, Tags key) {
        return registered.putIfAbsent(key, Collections.emptyList()) == null;
    }

    private synchronized void keep(Map<Tags, List<Meter>> registered, Tags key, Meter... meters) {
        registered.put(key, Arrays.asList(meters));
    }

    /** Of pools that have given up their place in the account. */
    private void removeGone(Map<Tags, List<Meter>> registered, Scrape begun) {
        List<Meter> gone = new ArrayList<>();
        synchronized (this) {
            registered.entrySet().removeIf(
                    entry -> !begun.groups.containsKey(entry.getKey()) && gone.addAll(entry.getValue()));
        }
        gone.forEach(registry::remove);
    }

    private synchronized boolean isThrottlingNew() {
        boolean isNew = !isThrottlingKnown;
        isThrottlingKnown = true;
        return isNew;
    }

    /**
     * The registry refers to the object weakly, but to the function strongly, which keeps everything alive.
     */
    private Meter counter(String name, String description, String unit, Tags all,
            ToLongFunction<Scrape> quantity) {
        Value value = new Value(quantity, all.stream().anyMatch(tag -> tag.getKey().equals("cpu.mode")));
        double divisor = unit == null ? 1 : NANOS_PER_SECOND;
        return FunctionCounter.builder(name, this, meters -> value.counted() / divisor).tags(all)
                .baseUnit(unit).description(description).register(registry);
    }
}
