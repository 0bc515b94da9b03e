// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Outcome.Attachment;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Shutdown;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs one experiment to an outcome, even if it refuses, fails or hangs. */
final class Trial {
    private static final int SLOWEST = 4;
    private static final int START_SECONDS = 120;
    private static final long END_MILLIS = 10_000;

    private Trial() {}

    /** The time limit: several times the experiment's own estimate, because the machine may be busy. */
    static Duration limit(Experiment experiment, Lab lab) {
        return Duration.ofSeconds(START_SECONDS + (long) SLOWEST * experiment.seconds(lab));
    }

    static Outcome run(Experiment experiment, Lab lab, Duration limit) {
        FutureTask<Outcome> task = new FutureTask<>(() -> experiment.run(lab));
        Thread thread = new Thread(task, "experiment " + experiment.name());
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return givenUp(thread, limit);
        } catch (ExecutionException e) {
            // Ctrl-C ends an experiment's children first: its reaction to that is not a result.
            Shutdown.waitIfUnderWay();
            return failed(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ended(Verdict.FAILED, "interrupted", List.of());
        }
    }

    /** An interrupted experiment kills its children (Children). */
    private static Outcome givenUp(Thread thread, Duration limit) {
        thread.interrupt();
        try {
            thread.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ended(Verdict.FAILED,
                "It was stopped after " + limit.toSeconds()
                        + " s: something hangs, or the machine is much too busy.",
                List.of());
    }

    private static Outcome failed(Throwable why) {
        if (why instanceof NotRunnable) {
            return ended(Verdict.NOT_RUNNABLE, why.getMessage(), List.of());
        }
        if (why instanceof IOException || why instanceof Failure) {
            return ended(Verdict.FAILED, String.valueOf(why.getMessage()), List.of());
        }
        StringWriter trace = new StringWriter();
        why.printStackTrace(new PrintWriter(trace));
        return ended(Verdict.FAILED, "This should not happen; please report it with the lines below: " + why,
                List.of(new Attachment("Stack trace", "text/plain", trace.toString())));
    }

    private static Outcome ended(Verdict verdict, String finding, List<Attachment> attachments) {
        return new Outcome(verdict, finding, List.of(), List.of(), attachments, List.of());
    }
}
