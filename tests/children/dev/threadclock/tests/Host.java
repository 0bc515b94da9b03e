// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What the machine permits. A test that needs more is skipped with the reason. */
final class Host {
    static void assumeStrace() {
        assumeWorks("tracing", "strace", "-o", "/dev/null", "true");
    }

    static void assumeMounts() {
        assumeWorks("mounting", "unshare", "-m", "mount", "-t", "tmpfs", "-o", "noexec", "none", "/mnt");
    }

    /**
     * Requires PID namespaces with a limit of their own (Linux 6.14, kernel/pid_namespace.c). On older
     * kernels the limit is the machine's.
     */
    static void assumeOwnPidMax() {
        String[] release = System.getProperty("os.version").split("[^0-9]+");
        int version = Integer.parseInt(release[0]) * 1000 + Integer.parseInt(release[1]);
        assumeTrue(version >= 6014, "kernel.pid_max is the whole machine's before Linux 6.14");
        assumeWorks("a process-id namespace", "unshare", "-p", "-f", "--mount-proc", "true");
    }

    private static void assumeWorks(String what, String... command) {
        String why;
        try {
            Result result = ChildJvm.start(List.of(command), Map.of()).end();
            if (result.exitCode() == 0) {
                return;
            }
            why = result.err().strip();
        } catch (IllegalStateException e) {
            if (!(e.getCause() instanceof IOException)) {
                throw e;
            }
            why = e.getCause().getMessage();
        }
        abort(what + " does not work here (it may take root, or a package): " + why);
    }
}
