// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuMetric;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
    private static final Tags PROCESS = Tags.empty();

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Tags, Map<CpuMetric, Meter>> meters = new HashMap<>(); // null: about to be registered
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

        /** -1: unknown, or there is no such group any more. */
        long of(Tags key, CpuMetric metric) {
            CpuGroup group = groups.get(key);
            return key == PROCESS ? account.value(metric) : group == null ? -1 : group.value(metric);
        }
    }

    /** What one meter reports. That of a group which is gone keeps its last value until it is removed. */
    private final class Value {
        private final Tags key;
        private final CpuMetric metric;
        private long answered; // the number of the last scrape
        private long last;

        Value(Tags key, CpuMetric metric) {
            this.key = key;
            this.metric = metric;
        }

        boolean isOfPair() {
            return !metric.mode().isEmpty(); // user or system
        }

        long now() {
            return scrapeOf(this).of(key, metric);
        }

        /** An unknown value is -1 and does not make the counter decrease. */
        double counted() {
            long now = now();
            synchronized (this) {
                last = Math.max(last, now);
                return metric.isInSeconds() ? last / NANOS_PER_SECOND : last;
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
            registers = registered < (value.isOfPair() ? current.number - 1 : current.number);
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
        begun.groups.keySet().forEach(key -> registerNew(begun, key));
        registerNew(begun, PROCESS);
        removeGone(begun);
    }

    private void registerNew(Scrape begun, Tags key) {
        for (CpuMetric metric : CpuMetric.values()) {
            if (begun.of(key, metric) >= 0 && isNew(key, metric)) {
                keep(key, metric, register(key, metric));
            }
        }
    }

    private synchronized boolean isNew(Tags key, CpuMetric metric) {
        Map<CpuMetric, Meter> known = meters.computeIfAbsent(key, any -> new EnumMap<>(CpuMetric.class));
        boolean isNew = !known.containsKey(metric);
        known.putIfAbsent(metric, null);
        return isNew;
    }

    private synchronized void keep(Tags key, CpuMetric metric, Meter meter) {
        meters.get(key).put(metric, meter);
    }

    /** Of pools that have given up their place in the account. */
    private void removeGone(Scrape begun) {
        List<Meter> gone = new ArrayList<>();
        synchronized (this) {
            meters.entrySet().removeIf(entry -> entry.getKey() != PROCESS
                    && !begun.groups.containsKey(entry.getKey()) && gone.addAll(entry.getValue().values()));
        }
        gone.removeIf(Objects::isNull);
        gone.forEach(registry::remove);
    }

    /**
     * The registry refers to the object weakly, but to the function strongly, which keeps everything alive.
     */
    private Meter register(Tags key, CpuMetric metric) {
        Value value = new Value(key, metric);
        Tags all = tags.and(key);
        String unit = metric.isInSeconds() ? "seconds" : metric.unit().replaceAll("\\{(.*)}", "$1s");
        if (!metric.isCounter()) {
            return Gauge.builder(metric.label(), value, gauge -> Math.max(0, gauge.now()))
                    .strongReference(true).tags(all).baseUnit(unit).description(metric.description())
                    .register(registry);
        }
        return FunctionCounter.builder(metric.label(), this, any -> value.counted())
                .tags(metric.mode().isEmpty() ? all : all.and("cpu.mode", metric.mode()))
                .baseUnit(unit).description(metric.description()).register(registry);
    }
}
