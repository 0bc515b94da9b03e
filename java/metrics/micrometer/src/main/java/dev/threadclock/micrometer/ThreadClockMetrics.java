// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.logging.Logger;

/**
 * Where the CPU time of this process goes, as meters: by pool of Java threads, garbage collector, compilers,
 * other threads of the JVM and native threads. {@link CpuAccount} describes the groups.
 *
 * <pre>{@code
 * new ThreadClockMetrics().bindTo(registry);
 * }</pre>
 *
 * <table>
 * <caption>The meters</caption>
 * <tr><th>Meter</th><th>Unit</th><th>Tags</th></tr>
 * <tr><td>{@code threadclock.cpu.time}, counter</td><td>seconds</td>
 * <td>{@code kind}, {@code group}, {@code cpu.mode} (user or system)</td></tr>
 * <tr><td>{@code threadclock.cpu.wait}, counter: runnable, but waiting for a CPU</td><td>seconds</td>
 * <td>{@code kind}, {@code group}</td></tr>
 * <tr><td>{@code threadclock.threads}, gauge</td><td>threads</td>
 * <td>{@code kind}, {@code group}</td></tr>
 * <tr><td>{@code threadclock.throttled.time}, counter</td><td>seconds</td><td></td></tr>
 * <tr><td>{@code threadclock.throttled.periods}, counter</td><td></td><td></td></tr>
 * </table>
 *
 * <p>One reading of the account serves a whole scrape, so that its values belong together. A new pool has its
 * meters from the next scrape on. No counter decreases. A value that the kernel does not provide has no
 * meter. Without the library's native code there are no meters, and the log gives the reason.
 */
public final class ThreadClockMetrics implements MeterBinder {
    private final Tags tags;

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
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (!NativeCode.WORKS) {
            return;
        }
        CpuAccount account;
        try {
            account = CpuAccount.read();
        } catch (IllegalStateException e) {
            Logger.getLogger("dev.threadclock").warning("there are no meters of threads: " + e.getMessage());
            return;
        }
        new AccountMeters(registry, tags).begin(account);
    }
}
