// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** What the machine permits. A test that needs more is skipped with the reason. */
final class Host {
    /** Something listens at its port. */
    static final ServerSocket IN_USE = inUse();

    private static ServerSocket inUse() {
        try {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A free port below the kernel's default ephemeral range: no process gets it unless it names it. */
    static int namedPort() {
        for (int i = 0; i < 1000; i++) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // It is in use.
            }
        }
        throw new IllegalStateException("no port is free");
    }

    static void assumeStrace() {
        assumeWorks("tracing", "strace", "-o", "/dev/null", "true");
    }

    static void assumeMounts() {
        assumeWorks("mounting", "unshare", "-m", "mount", "-t", "tmpfs", "-o", "noexec", "none", "/mnt");
    }

    static void assumeCapabilitiesCanBeDropped() {
        assumeWorks("dropping capabilities", "setpriv", "--bounding-set=-sys_ptrace", "true");
    }

    /** nsenter puts a process into the mount namespace's root, which a chroot is not. */
    static void assumeNoChroot() {
        assumeMounts();
        String inode = ChildJvm.exec("stat", "-Lc", "%d:%i", "/").end().out();
        String entered = ChildJvm.exec("nsenter", "-m/proc/self/ns/mnt", "stat", "-Lc", "%d:%i", "/").end()
                .out();
        assumeTrue(entered.equals(inode), "this is a chroot, which nsenter leaves");
    }

    private static void assumeWorks(String what, String... command) {
        String why = whyNot(command);
        assumeTrue(why.isEmpty(), what + " does not work here (it may take root, or a package): " + why);
    }

    private static String whyNot(String... command) {
        try {
            Result result = ChildJvm.exec(command).end();
            return result.exitCode() == 0 ? "" : "exit " + result.exitCode() + ": " + result.err().strip();
        } catch (IllegalStateException e) {
            if (!(e.getCause() instanceof IOException)) {
                throw e;
            }
            return e.getCause().getMessage();
        }
    }
}
