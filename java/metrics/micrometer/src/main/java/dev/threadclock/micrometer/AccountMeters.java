// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuAttribution;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * The meters of one registry, of the account of the process or of an attribution. A registry reads them one
 * by one and does not report when a scrape begins, but a scrape reads each of them once. So when a meter that
 * has already reported in this scrape is read again, the next scrape has begun. Prometheus's registry walks
 * the meters of one name after those of another, and may see one that is added meanwhile: those of a new
 * group are added while it is not at user and system, which would be seen one without the other. Keys have
 * nothing else, so theirs are added when all are read. The meters of a pool or key that has lost its place
 * keep their values until this scrape has read them all. In this scrape (past pools) or (past keys) excludes
 * them, so that nothing is counted twice.
 */
final class AccountMeters {
    /** Limits how long meters that are read outside of scrapes use one account. */
    private static final long LONGEST_SCRAPE_NANOS = 1_000_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Tags PROCESS = Tags.empty();

    private final MeterRegistry registry;
    private final Tags tags;
    private final Supplier<Map<Tags, long[]>> source; // values by CpuMetric; -1: unknown
    private final Tags past; // those of what has lost its place
    private final Map<Tags, Map<CpuMetric, Value>> meters = new HashMap<>();
    private final AtomicBoolean isRefused = new AtomicBoolean();
    private Scrape scrape;
    private long scrapes;
    private long registered; // the number of the last scrape whose groups have their meters

    private AccountMeters(MeterRegistry registry, Tags tags, Supplier<Map<Tags, long[]>> source, Tags past) {
        this.registry = registry;
        this.tags = tags;
        this.source = source;
        this.past = past;
    }

    static AccountMeters ofAccount(MeterRegistry registry, Tags tags) {
        return new AccountMeters(registry, tags, () -> {
            CpuAccount account = CpuAccount.read();
            Map<Tags, long[]> values = new HashMap<>();
            for (CpuGroup group : account.groups()) {
                values.put(key(group.kind(), group.name()), values(group::value));
            }
            values.put(PROCESS, values(account::value));
            return values;
        }, key(CpuGroup.Kind.JAVA, CpuAccount.PAST_POOLS));
    }

    static AccountMeters of(CpuAttribution attribution, MeterRegistry registry, Tags tags) {
        return new AccountMeters(registry, tags, () -> {
            Map<Tags, long[]> values = new HashMap<>();
            attribution.read().forEach((key, used) -> values.put(key(attribution, key),
                    values(metric -> metric == CpuMetric.KEY_USER ? used.userNanos()
                            : metric == CpuMetric.KEY_SYSTEM ? used.systemNanos() : -1)));
            return values;
        }, key(attribution, CpuAttribution.PAST));
    }

    private static long[] values(ToLongFunction<CpuMetric> source) {
        return Stream.of(CpuMetric.values()).mapToLong(source).toArray();
    }

    private static Tags key(CpuAttribution attribution, String key) {
        return Tags.of("by", attribution.name(), "key", key);
    }

    /** Throws IllegalStateException with the reason, if there is nothing to read. */
    void begin() {
        Scrape first;
        synchronized (this) {
            first = new Scrape(source.get(), ++scrapes, Collections.emptyMap());
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
        private final Map<Tags, long[]> groups; // or keys
        private final long number;
        private final Set<Tags> gone; // those of them that the source has no longer
        private long begunNanos = System.nanoTime();

        /** before: what the groups had in the last scrape. */
        Scrape(Map<Tags, long[]> groups, long number, Map<Tags, long[]> before) {
            this.groups = groups;
            this.number = number;
            gone = new HashSet<>();
            long[] taken = groups.getOrDefault(past, new long[CpuMetric.values().length]);
            before.forEach((key, values) -> {
                if (!key.equals(past) && meters.containsKey(key)) {
                    takeBack(key, values, taken);
                }
            });
        }

        /** With the values of the last one. */
        Scrape(Scrape last, long number) {
            groups = last.groups;
            gone = last.gone;
            this.number = number;
        }

        /** What has moved to the past ones since. The pool or key may have come back, and begun at zero. */
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
            return group == null ? -1 : group[metric.ordinal()];
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

        /** Whether meters may not be added while the registry is at this one: it is user or system. */
        boolean isOfPair(Scrape current) {
            return !metric.mode().isEmpty() && !(metric.isOfKey() && isRead(current));
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
            registers = registered < (value.isOfPair(current) ? current.number - 1 : current.number);
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

    /** Begins a scrape with a new reading or, if there is none, the last one. */
    private synchronized Scrape begunAnew() {
        try {
            scrape = new Scrape(source.get(), ++scrapes, scrape.groups);
        } catch (IllegalStateException e) {
            scrape = new Scrape(scrape, ++scrapes);
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
    }

    private void registerNew(Scrape begun, Tags key) {
        for (CpuMetric metric : CpuMetric.values()) {
            Value value = begun.of(key, metric) < 0 ? null : newValue(key, metric, begun.number);
            if (value != null) {
                try {
                    keep(value, register(value));
                } catch (RuntimeException e) { // in a registry that makes one name of two, say
                    if (!isRefused.getAndSet(true)) {
                        Logger.getLogger("dev.threadclock").warning("the registry has refused "
                                + value.metric.label() + " " + key + ", and perhaps others: " + e);
                    }
                }
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

    /** Removes meters of what lost its place, except any that the last scrape may have missed. */
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
