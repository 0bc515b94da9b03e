// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.Subject;
import dev.threadclock.watch.interval.Timeline;
import dev.threadclock.watch.report.RecordingPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A recording as an HTML page, written at the end. Until then there is a .jfr file for the report command.
 */
final class HtmlWriter implements IntervalWriter {
    private final Path page;
    private final Subject subject;
    private final Timeline timeline = new Timeline();
    private final JfrWriter jfr;

    HtmlWriter(Path page, Subject subject) {
        this.page = page;
        this.subject = subject;
        jfr = new JfrWriter(soFar(page), subject);
    }

    @Override
    public void write(Interval interval) throws IOException {
        timeline.add(interval);
        jfr.write(interval);
    }

    static Path soFar(Path page) {
        return page.resolveSibling(
                page.getFileName().toString().replaceFirst("\\.html$", "") + Format.JFR.ending());
    }

    @Override
    public void finish() throws IOException {
        jfr.finish();
        Files.writeString(page, new RecordingPage(subject, timeline).toHtml());
        Files.deleteIfExists(soFar(page));
    }
}
