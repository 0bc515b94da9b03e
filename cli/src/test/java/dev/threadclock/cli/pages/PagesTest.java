// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import dev.threadclock.lab.demo.DemoHtml;
import dev.threadclock.lab.report.LabHtml;
import dev.threadclock.lab.report.LabReport;
import dev.threadclock.terminal.page.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The pages in a real browser, on a desktop and on a phone, in light and in dark. Leaves a picture of each in
 * target/pages.
 */
class PagesTest {
    private static final Path RESULTS = Path.of("..", "lab", "results");
    private static final Path PICTURES = Path.of("target", "pages");

    @TempDir
    static Path folder;

    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Browser.installed();
        assumeTrue(program.isPresent(), "no Chromium is installed: apt-get install chromium");
        Files.createDirectories(PICTURES);
        Files.writeString(folder.resolve("demo.html"), DemoHtml.render(RESULTS.resolve("demo.json")));
        LabReport lab = LabReport.fromJson(RESULTS.resolve("lab.json"));
        Files.writeString(folder.resolve("lab.html"), new LabHtml(lab).render());
        Files.writeString(folder.resolve("recording.html"), Recordings.page());
        browser = Browser.start(program.get(), Files.createDirectory(folder.resolve("profile")));
    }

    @AfterAll
    static void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private static void assertNothingIsWrong(BrowserPage page, int width) throws Exception {
        String look = "(" + Page.resource(PagesTest.class, "look.js") + ")(" + width + ")";
        List<String> problems = page.value(look).getAsJsonArray().asList().stream().map(JsonElement::getAsString).toList();
        assertThat(problems).isEmpty();
        assertThat(page.complaints()).as("messages of the console").isEmpty();
        assertThat(page.fetched()).as("requests but for the page").hasSize(1);
    }

    @ParameterizedTest(name = "{0}, {1} pixels, dark: {2}, scripts: {3}")
    @CsvSource({
        "demo, 1280, false, true", "demo, 1280, true, true", "demo, 390, false, true", "demo, 390, true, true",
        "lab, 1280, false, true", "lab, 1280, true, true", "lab, 390, false, true", "lab, 390, true, true",
        "recording, 1280, false, true", "recording, 1280, true, true", "recording, 390, false, true",
        "recording, 390, true, true",
        "demo, 390, false, false", "lab, 390, false, false", "recording, 390, false, false",
        "recording, 1280, true, false"
    })
    void itIsDrawnAndFitsItsWindow(String name, int width, boolean dark, boolean scripts) throws Exception {
        try (BrowserPage page = browser.open()) {
            page.look(width, dark, scripts);
            page.load(folder.resolve(name + ".html"));
            page.picture(PICTURES.resolve(name + "-" + width + (dark ? "-dark" : "") + (scripts ? "" : "-plain") + ".png"));
            assertNothingIsWrong(page, width);
            page.value("document.querySelectorAll('details').forEach(each => { each.open = true; })");
            assertNothingIsWrong(page, width);
            assertThat(page.text("document.body.innerText")).contains("user");
        }
    }
}
