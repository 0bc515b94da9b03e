// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import dev.threadclock.tests.child.Threads;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the JUnit classes of this package in this JVM: those that are tagged with the form in which the agent
 * is loaded. Arguments: a file for the results, a tag expression, and Class or Class#method, separated by
 * commas, or "all". Each line of the results is {@code begin|pass|fail|skip}, the test and the reason,
 * separated by tabs.
 */
public final class InJvm {
    public static void main(String[] args) throws Exception {
        if (Jvm.FEATURE >= 21) { // the first pool is to be the scheduler's, whose threads are found by name
            Threads.virtual(null, () -> {
            });
        }
        try (PrintStream results = new PrintStream(new FileOutputStream(args[0]), true, "UTF-8")) {
            LauncherFactory.create().execute(request(args[1], args[2]), new Results(results));
        }
        System.exit(0); // threads that a failed test has left must not delay the end
    }

    private static LauncherDiscoveryRequest request(String tags, String which) {
        String prefix = InJvm.class.getPackage().getName();
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .filters(TagFilter.includeTags(tags))
                .configurationParameter("junit.jupiter.displayname.generator.default",
                        SentenceNames.class.getName())
                .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", "5 m");
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String each : which.split(",")) {
            selectors.add(each.equals("all") ? DiscoverySelectors.selectPackage(prefix)
                    : each.contains("#") ? DiscoverySelectors.selectMethod(prefix + "." + each)
                            : DiscoverySelectors.selectClass(prefix + "." + each));
        }
        return request.selectors(selectors).build();
    }

    private static final class Results implements TestExecutionListener {
        private final PrintStream out;
        /** What the running test has published. */
        private String notes = "";

        Results(PrintStream out) {
            this.out = out;
        }

        private void line(String status, TestIdentifier test, String reason) {
            String type = test.getUniqueId().replaceAll(".*\\.(\\w+)\\].*", "$1");
            String name = test.isTest() ? type + ": " + test.getDisplayName() + notes : type;
            out.println(status + '\t' + name + '\t' + reason.replaceAll("\\s+", " ").trim());
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            notes = "";
            if (test.isTest()) {
                line("begin", test, "");
            }
        }

        @Override
        public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            notes += ", " + String.join(", ", entry.getKeyValuePairs().values());
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            line("skip", test, reason);
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            String reason = result.getThrowable().map(Throwable::toString).orElse("");
            switch (result.getStatus()) {
                case FAILED :
                    line("fail", test, result.getThrowable().map(InJvm::text).orElse(""));
                    break;
                case ABORTED :
                    line("skip", test,
                            reason.replaceFirst("^\\S*TestAbortedException: (Assumption failed: )?", ""));
                    break;
                default :
                    if (test.isTest()) {
                        line("pass", test, "");
                    }
            }
        }
    }

    private static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder(thrown.toString());
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().startsWith("dev.threadclock.")) {
                text.append(" at ").append(frame);
            }
        }
        return text.toString();
    }
}
