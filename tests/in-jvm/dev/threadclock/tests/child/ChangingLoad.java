// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.command.probe.TickLoads;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Proxy;

/**
 * A child program whose thread "changer" works first between the kernel's timer ticks, which therefore hardly
 * see it, and then in the kernel, where they do. So its share of user time according to the ticks falls. Then
 * it ends. It never reads its own times.
 * Arguments: tick length and phase in nanoseconds of System.nanoTime().
 */
public final class ChangingLoad {
    private static final long BETWEEN_TICKS_NANOS = 2_500_000_000L;
    private static final long IN_THE_KERNEL_NANOS = 500_000_000;

    public static void main(String[] args) throws Exception {
        ThreadMXBean unread = (ThreadMXBean) Proxy.newProxyInstance(ChangingLoad.class.getClassLoader(),
                new Class<?>[]{ThreadMXBean.class}, (proxy, method, arguments) -> 0L);
        TickLoads loads = new TickLoads(unread, Long.parseLong(args[0]), Long.parseLong(args[1]));
        Thread thread = new Thread(() -> {
            loads.betweenTicksHere(BETWEEN_TICKS_NANOS);
            for (long end = System.nanoTime() + IN_THE_KERNEL_NANOS; System.nanoTime() - end < 0;) {
                Burn.kernelSlice();
            }
        }, "changer");
        thread.start();
        thread.join();
    }
}
