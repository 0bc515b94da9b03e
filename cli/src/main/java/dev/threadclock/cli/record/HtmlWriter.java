// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.record;

import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Subject;
import dev.threadclock.cli.interval.Timeline;
import dev.threadclock.cli.report.RecordingPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A recording as a page to look at. */
final class HtmlWriter implements IntervalWriter {
    private final Path file;
    private final Subject subject;
    private final Timeline timeline = new Timeline();

    HtmlWriter(Path file, Subject subject) {
        this.file = file;
        this.subject = subject;
    }

    @Override
    public void write(Interval interval) {
        timeline.add(interval);
    }

    @Override
    public void finish() throws IOException {
        Files.writeString(file, new RecordingPage(subject, timeline).toHtml());
    }
}
