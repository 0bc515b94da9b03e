// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuMetric;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Arrays;
import java.util.Objects;
import java.util.logging.Logger;

/**
 * Where the CPU time of this process goes, as meters: by pool of Java threads, garbage collector, compilers,
 * other threads of the JVM and native threads. {@link CpuAccount} describes the groups.
 *
 * <pre>{@code
 * new ThreadClockMetrics().bindTo(registry);
 * }</pre>
 *
 * <p>The meters are those of {@link CpuMetric}, without that of keys, times in seconds. Those of groups have
 * the tags {@code kind} and {@code group}, and CPU time {@code cpu.mode} (user or system).
 *
 * <p>One reading of the account serves a whole scrape, so that its values belong together. A new pool has its
 * meters from the next scrape on. No counter decreases. A value that the kernel does not provide has no
 * meter. Without the library's native code there are no meters, and the log gives the reason.
 */
public final class ThreadClockMetrics implements MeterBinder {
    private final Tags tags;
    private final CpuAttribution attribution; // null: the account

    /** Creates a binder whose meters have only their own tags. */
    public ThreadClockMetrics() {
        this(Tags.empty());
    }

    /**
     * Creates a binder.
     *
     * @param tags added to each meter's own
     */
    public ThreadClockMetrics(Iterable<Tag> tags) {
        this(tags, null);
    }

    private ThreadClockMetrics(Iterable<Tag> tags, CpuAttribution attribution) {
        this.tags = Tags.of(tags);
        this.attribution = attribution;
    }

    /**
     * A binder of an attribution instead: {@code threadclock.key.cpu.time}, a counter in seconds with the
     * tags {@code by} (the attribution's name), {@code key} and {@code cpu.mode}. All keys, with
     * {@code (past keys)}, {@code (other)} and {@code (unattributed)}, add up to the process's CPU time. A
     * new key has its meters from the next scrape on. Of attributions with the same name and tags only the
     * first has meters, and the log says so.
     *
     * @param attribution whose keys are reported
     * @param tags added to each meter's own
     * @return the binder
     */
    public static MeterBinder of(CpuAttribution attribution, Tag... tags) {
        return new ThreadClockMetrics(Arrays.asList(tags),
                Objects.requireNonNull(attribution, "attribution"));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (!NativeCode.WORKS) {
            return;
        }
        try {
            if (attribution == null) {
                AccountMeters.ofAccount(registry, tags).begin();
            } else if (registry.find(CpuMetric.KEY_USER.label()).tags(tags).tag("by", attribution.name())
                    .meters().isEmpty()) {
                AccountMeters.of(attribution, registry, tags).begin();
            } else {
                throw new IllegalStateException("another one of this name has meters in the registry");
            }
        } catch (IllegalStateException e) {
            Logger.getLogger("dev.threadclock").warning("there are no meters of "
                    + (attribution == null ? "threads: " : attribution.name() + ": ") + e.getMessage());
        }
    }
}
