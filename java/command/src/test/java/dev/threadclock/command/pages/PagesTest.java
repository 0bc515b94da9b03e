// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import dev.threadclock.command.demo.DemoHtml;
import dev.threadclock.command.page.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages in a real browser, wide and narrow, light and dark. Leaves a picture of each in target/pages. */
class PagesTest {
    private static final Path RESULTS = Path.of("../..", "lab", "results");
    private static final Path PICTURES = Path.of("target", "pages");

    @TempDir
    static Path folder;

    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Browser.installed();
        if (program.isEmpty()) {
            return;
        }
        Files.createDirectories(PICTURES);
        Files.writeString(folder.resolve("demo.html"), DemoHtml.render(RESULTS.resolve("demo.json")));
        Files.writeString(folder.resolve("recording.html"), Recordings.page());
        browser = Browser.start(program.get(), Files.createDirectory(folder.resolve("profile")));
    }

    /** Skips each test, not the class: test reports have no place for a skipped class. */
    @BeforeEach
    void needsTheBrowser() {
        assumeTrue(browser != null, "no Chromium is installed: apt-get install chromium");
    }

    @AfterAll
    static void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private static void assertNothingIsWrong(BrowserPage page, int width) throws Exception {
        // A scrollbar that appears makes the charts narrower.
        page.await("typeof plots === 'undefined'"
                + " || [...plots].every(u => !u.root.isConnected"
                + " || u.width === u.root.parentElement.clientWidth)");
        String look = "(" + Page.resource(PagesTest.class, "look.js") + ")(" + width + ")";
        List<String> problems = page.value(look).getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString).toList();
        assertThat(problems).isEmpty();
        assertThat(page.complaints()).as("messages of the console").isEmpty();
        assertThat(page.fetched()).as("requests but for the page").hasSize(1);
    }

    @ParameterizedTest(name = "{0}, {1} pixels, dark: {2}, scripts: {3}")
    @CsvSource({
        "demo, 1280, false, true", "demo, 1280, true, true", "demo, 390, false, true",
        "demo, 390, true, true",
        "recording, 1280, false, true", "recording, 1280, true, true", "recording, 390, false, true",
        "recording, 390, true, true",
        "demo, 390, false, false", "recording, 390, false, false",
        "recording, 1280, true, false"
    })
    void thePageIsDrawnAndFitsItsWindow(String name, int width, boolean dark, boolean scripts)
            throws Exception {
        try (BrowserPage page = browser.open()) {
            page.look(width, dark, scripts);
            page.load(folder.resolve(name + ".html"));
            page.picture(PICTURES.resolve(
                    name + "-" + width + (dark ? "-dark" : "") + (scripts ? "" : "-plain") + ".png"));
            int drawings = count(page, "canvas");
            assertThat(drawings).as("drawings").isBetween(scripts ? 2 : 0, scripts ? 100 : 0);
            assertNothingIsWrong(page, width);
            page.value("document.querySelectorAll('details').forEach(each => { each.open = true; })");
            assertNothingIsWrong(page, width);
            assertThat(page.text("document.body.innerText")).contains("user");
        }
    }

    private static BrowserPage open(String name, int width) throws Exception {
        BrowserPage page = browser.open();
        page.look(width, false, true);
        page.load(folder.resolve(name + ".html"));
        return page;
    }

    private static String textOf(BrowserPage page, String selector) throws Exception {
        return page.text("document.querySelector('" + selector + "').textContent");
    }

    private static int count(BrowserPage page, String selector) throws Exception {
        return page.value("document.querySelectorAll('" + selector + "').length").getAsInt();
    }

    private static void awaitHeadline(BrowserPage page, String start) throws Exception {
        page.await("document.querySelector('h1').textContent.startsWith('" + start + "')");
    }

    @Test
    void theHeadlineAndTheTableFollowTheZoom() throws Exception {
        try (BrowserPage page = open("recording", 1280)) {
            assertThat(textOf(page, "h1")).isEqualTo(Recordings.HEADLINE);
            assertThat(textOf(page, "#rows .pool td:nth-child(2)")).isEqualTo("32.0");
            page.drag("#pools .u-over", 0.55, 0.95);
            awaitHeadline(page, "70.0 % of a CPU over 2");
            assertThat(textOf(page, "h1")).endsWith(" s: 60.0 % user, 10.0 % system");
            assertThat(textOf(page, "#rows .pool td:nth-child(2)")).isEqualTo("52.0");
            assertThat(page.value("document.getElementById('all').disabled").getAsBoolean()).isFalse();
            page.doubleClick("#process .u-over");
            awaitHeadline(page, Recordings.HEADLINE);
            page.drag("#process .u-over", 0.05, 0.45);
            awaitHeadline(page, "30.0 % of a CPU over 2");
            page.value("document.getElementById('all').click()");
            awaitHeadline(page, Recordings.HEADLINE);
            assertNothingIsWrong(page, 1280);
        }
    }

    @Test
    void aFingerZoomsToo() throws Exception {
        try (BrowserPage page = open("recording", 390)) {
            page.swipe("#pools .u-over", 0.6, 0.9);
            awaitHeadline(page, "70.0 % of a CPU over 1");
            page.value("document.getElementById('all').click()");
            awaitHeadline(page, Recordings.HEADLINE);
            assertNothingIsWrong(page, 390);
        }
    }

    @ParameterizedTest(name = "{0} pixels")
    @ValueSource(ints = {1280, 390})
    void whatIsUnderThePointerIsShownBesideTheCharts(int width) throws Exception {
        try (BrowserPage page = open("recording", width)) {
            assertThat(textOf(page, "#reading h3")).as("at first").endsWith(", the busiest");
            page.point("#pools .u-over", 0.255); // in the 16th of 60 intervals
            page.await("!document.querySelector('#reading h3').textContent.includes('busiest')");
            String second = page.text("new Date(" + (Recordings.START_MILLIS + 15_000)
                    + ").toLocaleTimeString([], { hourCycle: 'h23' })");
            assertThat(textOf(page, "#reading h3")).startsWith(second + " to ");
            assertThat(textOf(page, "#reading"))
                    .contains("http-nio-8080-exec-1", "10.0 %", "100 ms", "300 ms");
            assertThat(count(page, "#reading td[title=\"" + Recordings.LONG_NAME + "\"]")).as("whole names")
                    .isEqualTo(1);
            assertThat(page.value("(() => {"
                    + " const a = document.getElementById('reading').getBoundingClientRect();"
                    + " const charts = [...document.querySelectorAll('.chart')];"
                    + " return charts.map(each => each.getBoundingClientRect())"
                    + ".every(b => a.left >= b.right || a.top >= b.bottom || b.top >= a.bottom) })()")
                    .getAsBoolean())
                    .as("no chart is covered").isTrue();
            page.picture(PICTURES.resolve("recording-" + width + "-reading.png"));
            assertNothingIsWrong(page, width);
        }
    }

    @Test
    void theKeyboardWalksAndZooms() throws Exception {
        try (BrowserPage page = open("recording", 1280)) {
            assertThat(count(page, ".chart[role=slider][tabindex][aria-label][aria-valuenow]"))
                    .as("charts with role, label and value").isEqualTo(2);
            page.value("document.getElementById('pools').focus()");
            page.key("Home");
            assertThat(page.text("document.activeElement.ariaValueNow")).isEqualTo("1");
            page.key("ArrowRight");
            page.key("ArrowRight");
            assertThat(page.text("document.activeElement.ariaValueNow")).isEqualTo("3");
            assertThat(page.text("document.activeElement.ariaValueText"))
                    .endsWith(": 30.0 % of a CPU; most in http-nio-*-exec-*, 14.0 %");
            page.key("+");
            awaitHeadline(page, "30.0 % of a CPU over 30 s");
            page.key("-");
            awaitHeadline(page, Recordings.HEADLINE);
            page.key("+");
            awaitHeadline(page, "30.0 % of a CPU over 30 s");
            page.key("Escape");
            awaitHeadline(page, Recordings.HEADLINE);
            page.key("End");
            assertThat(page.text("document.activeElement.ariaValueNow"))
                    .isEqualTo(String.valueOf(Recordings.INTERVALS));
            assertNothingIsWrong(page, 1280);
        }
    }

    @Test
    void threadsAreFoundByAPartOfTheirNames() throws Exception {
        try (BrowserPage page = open("recording", 390)) {
            page.value("document.getElementById('search').focus()");
            page.type("EXEC-2");
            assertThat(textOf(page, "#found")).isEqualTo("1 of " + Recordings.THREADS + " threads");
            assertThat(textOf(page, "#rows .thread")).startsWith("http-nio-8080-exec-2");
            assertNothingIsWrong(page, 390);
            page.type(" there is none");
            assertThat(textOf(page, "#found")).isEqualTo("0 of " + Recordings.THREADS + " threads");
            assertThat(count(page, "#rows tr")).isZero();
        }
    }

    @Test
    void aPoolUnfoldsAndLeavesTheChart() throws Exception {
        try (BrowserPage page = open("recording", 1280)) {
            page.value("document.querySelector('#rows .pool').click()");
            assertThat(count(page, "#rows .thread")).isEqualTo(2);
            page.value("document.querySelector('#rows .swatch').click()");
            assertThat(page.text("document.querySelector('#rows .swatch').ariaPressed")).isEqualTo("false");
            assertNothingIsWrong(page, 1280);
        }
    }

    @Test
    void withoutScriptsEveryThreadIsInATable() throws Exception {
        try (BrowserPage page = browser.open()) {
            page.look(390, false, false);
            page.load(folder.resolve("recording.html"));
            assertThat(page.value("[...document.querySelectorAll('.live')]"
                    + ".some(each => each.checkVisibility())").getAsBoolean())
                    .as("controls that would do nothing").isFalse();
            assertThat(textOf(page, "#rows"))
                    .contains("http-nio-8080-exec-2", Recordings.LONG_NAME, "pool t");
            assertThat(count(page, ".times tbody tr")).isEqualTo(Recordings.INTERVALS);
        }
    }

    /** What each chart of the page gives for an expression of it, u. */
    private static List<String> ofEachChart(BrowserPage page, String expression) throws Exception {
        return page.value("[...plots].map(u => String(" + expression + "))").getAsJsonArray().asList()
                .stream().map(JsonElement::getAsString).toList();
    }

    @ParameterizedTest(name = "{0} pixels")
    @ValueSource(ints = {1280, 390})
    void eachFurtherNineHasTheSameRoomAndAllOfTheDemoHaveTheSameAxes(int width) throws Exception {
        try (BrowserPage page = open("demo", width)) {
            assertThat(ofEachChart(page, "u.axes[0]._values")).isNotEmpty()
                    .allMatch(labels -> labels.startsWith("0 %,9") && labels.endsWith(" %,max"));
            assertThat(ofEachChart(page, "u.axes[0]._splits.slice(0, 3)")).as("places of nines")
                    .containsAnyOf("0,2,4", "0,3,6");
            for (String scale : List.of("u.scales.x.max", "u.scales.y.min", "u.scales.y.max")) {
                assertThat(Set.copyOf(ofEachChart(page, scale))).as(scale).hasSize(1);
            }
        }
    }

    @Test
    void theKeyOfACurveShowsTheValuesUnderThePointer() throws Exception {
        try (BrowserPage page = open("demo", 1280)) {
            assertThat(textOf(page, ".u-legend .u-value")).isEqualTo("–");
            page.point("figure .u-over", 0.5);
            page.await("document.querySelector('.u-legend .u-value').textContent.endsWith(' %')");
            assertThat(textOf(page, ".u-legend tr:nth-child(2) .u-value"))
                    .containsPattern("^[0-9.]+ (ns|µs|ms)$");
            assertNothingIsWrong(page, 1280);
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"demo", "recording"})
    void openPagesFollowTheSchemeAndTheWindow(String name) throws Exception {
        try (BrowserPage page = open(name, 1280)) {
            page.look(390, true, true);
            page.await("[...plots].every(u => u.width < 390)");
            assertThat(ofEachChart(page, "u.axes[0].stroke() === css('--soft')")).containsOnly("true");
            assertNothingIsWrong(page, 390);
            page.picture(PICTURES.resolve(name + "-switched.png"));
        }
    }
}
