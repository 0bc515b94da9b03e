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
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The meters of one registry. A registry reads them one by one and does not report when a scrape begins, but
 * a scrape reads each of them once. So when a meter that has already reported in this scrape is read again,
 * the next scrape has begun. Prometheus's registry walks the meters of one name after those of another, and
 * may see one that is added meanwhile: those of a new group are added while it is not at user and system,
 * which would be seen one without the other. The meters of a pool that has lost its place keep
 * their values until this scrape has read them all. In this scrape (past pools) excludes them, so that
 * nothing is counted twice.
 */
final class AccountMeters {
    /** Limits how long meters that are read outside of scrapes use one account. */
    private static final long LONGEST_SCRAPE_NANOS = 1_000_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Tags PROCESS = Tags.empty();
    private static final Tags PAST_POOLS = key(CpuGroup.Kind.JAVA, CpuAccount.PAST_POOLS);

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Tags, Map<CpuMetric, Value>> meters = new HashMap<>();
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
            first = new Scrape(account, ++scrapes, Collections.emptyMap());
            first.begunNanos -= LONGEST_SCRAPE_NANOS; // so that the first read begins a scrape
            scrape = first;
            registered = first.number;
        }
        registerNew(first);
    }

    private static Tags key(CpuGroup.Kind kind, String group) {
        return Tags.of("kind", kind.label(), "group", group);
    }

    private final class Scrape {
        private final CpuAccount account;
        private final long number;
        private final Map<Tags, long[]> groups = new HashMap<>(); // values by CpuMetric
        private final Set<Tags> gone = new HashSet<>(); // those of them that the account has no longer
        private long begunNanos = System.nanoTime();

        /** before: what the groups had in the last scrape. */
        Scrape(CpuAccount account, long number, Map<Tags, long[]> before) {
            this.account = account;
            this.number = number;
            for (CpuGroup group : account.groups()) {
                groups.put(key(group.kind(), group.name()),
                        Stream.of(CpuMetric.values()).mapToLong(group::value).toArray());
            }
            long[] past = groups.getOrDefault(PAST_POOLS, new long[CpuMetric.values().length]);
            before.forEach((key, values) -> {
                if (!key.equals(PAST_POOLS) && meters.containsKey(key)) {
                    takeBack(key, values, past);
                }
            });
        }

        /** What has moved to (past pools) since. The pool may have come back, and begun at zero. */
        private void takeBack(Tags key, long[] before, long[] past) {
            if (!groups.containsKey(key)) {
                gone.add(key);
                groups.put(key, new long[before.length]);
            }
            long[] now = groups.get(key);
            for (int i = 0; i < now.length; i++) {
                if (CpuMetric.values()[i].isCounter() && now[i] >= 0 && now[i] < before[i]) {
                    past[i] -= Math.min(before[i] - now[i], Math.max(0, past[i]));
                    now[i] = before[i];
                }
            }
        }

        /** -1: unknown, or there is no such group any more. */
        long of(Tags key, CpuMetric metric) {
            long[] group = groups.get(key);
            return key == PROCESS ? account.value(metric) : group == null ? -1 : group[metric.ordinal()];
        }
    }

    /** What one meter reports. That of a group which is gone keeps its last value until it is removed. */
    private final class Value {
        private final Tags key;
        private final CpuMetric metric;
        private final long since; // the number of the scrape that registered it
        private long answered; // the number of the last scrape
        private long last;
        private Meter meter; // null: about to be registered

        Value(Tags key, CpuMetric metric, long since) {
            this.key = key;
            this.metric = metric;
            this.since = since;
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
        boolean ends;
        synchronized (this) {
            boolean isNew = value.answered == scrape.number
                    || System.nanoTime() - scrape.begunNanos >= LONGEST_SCRAPE_NANOS;
            current = isNew ? begunAnew() : scrape;
            value.answered = current.number;
            // Pairs only if the last scrape read nothing else, because a filter denies it.
            registers = registered < (value.isOfPair() ? current.number - 1 : current.number);
            registered = registers ? current.number : registered;
            ends = !current.gone.isEmpty() && isRead(current);
        }
        if (registers) {
            registerNew(current); // not under our lock, because it takes the registry's
        }
        if (ends) {
            removeGone(current);
        }
        return current;
    }

    /** Begins a scrape with a new account or, if that cannot be read, the last one. */
    private synchronized Scrape begunAnew() {
        try {
            scrape = new Scrape(CpuAccount.read(), ++scrapes, scrape.groups);
        } catch (IllegalStateException e) {
            scrape = new Scrape(scrape.account, ++scrapes, scrape.groups);
        }
        return scrape;
    }

    /** Whether each meter that the last scrape read has been read in this one. */
    private boolean isRead(Scrape current) {
        return meters.values().stream().flatMap(of -> of.values().stream())
                .noneMatch(value -> value.answered == current.number - 1);
    }

    private void registerNew(Scrape begun) {
        begun.groups.keySet().stream().filter(key -> !begun.gone.contains(key))
                .forEach(key -> registerNew(begun, key));
        registerNew(begun, PROCESS);
    }

    private void registerNew(Scrape begun, Tags key) {
        for (CpuMetric metric : CpuMetric.values()) {
            Value value = begun.of(key, metric) < 0 ? null : newValue(key, metric, begun.number);
            if (value != null) {
                keep(value, register(value));
            }
        }
    }

    /** Null: there is one. */
    private synchronized Value newValue(Tags key, CpuMetric metric, long since) {
        Map<CpuMetric, Value> known = meters.computeIfAbsent(key, any -> new EnumMap<>(CpuMetric.class));
        Value value = new Value(key, metric, since);
        return known.putIfAbsent(metric, value) == null ? value : null;
    }

    private synchronized void keep(Value value, Meter meter) {
        value.meter = meter;
    }

    /** Removes meters of pools that lost their places, except any that the last scrape may have missed. */
    private void removeGone(Scrape read) {
        List<Meter> gone = new ArrayList<>();
        synchronized (this) {
            for (Tags key : read.gone) {
                Collection<Value> values = meters.getOrDefault(key, Collections.emptyMap()).values();
                if (values.stream().allMatch(value -> value.since < read.number - 1)) {
                    values.forEach(value -> gone.add(value.meter));
                    meters.remove(key);
                }
            }
        }
        gone.removeIf(Objects::isNull);
        gone.forEach(registry::remove);
    }

    /**
     * The registry refers to the object weakly, but to the function strongly, which keeps everything alive.
     */
    private Meter register(Value value) {
        CpuMetric metric = value.metric;
        Tags all = tags.and(value.key);
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
