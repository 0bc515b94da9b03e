// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of a recording in a real browser, wide or narrow, light or dark. Pictures are in target/pages. */
class PagesTest {
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
        Files.writeString(folder.resolve("recording.html"), Recordings.page());
        browser = new Browser(program.get(), Files.createDirectory(folder.resolve("profile")));
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

    private static String script(String name) throws Exception {
        return Files.readString(Path.of(PagesTest.class.getResource(name).toURI()));
    }

    private static void assertNothingIsWrong(int width) throws Exception {
        // A scrollbar that appears makes the charts narrower.
        browser.await("typeof plots === 'undefined'"
                + " || [...plots].every(u => !u.root.isConnected"
                + " || u.width === u.root.parentElement.clientWidth)");
        String look = "(" + script("look.js") + ")(" + width + ")";
        List<String> problems = browser.value(look).getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString).toList();
        assertThat(problems).isEmpty();
        assertThat(browser.complaints()).as("messages of the console").isEmpty();
        assertThat(browser.fetched()).as("requests but for the page").hasSize(1);
    }

    @ParameterizedTest(name = "{0} pixels, dark: {1}, scripts: {2}")
    @CsvSource({"1280, false, true", "1280, true, true", "390, false, true", "390, true, true",
        "390, false, false", "1280, true, false"})
    void thePageIsDrawnAndFitsItsWindow(int width, boolean dark, boolean scripts) throws Exception {
        browser.look(width, dark, scripts);
        browser.load(folder.resolve("recording.html"));
        browser.picture(PICTURES.resolve(
                "recording-" + width + (dark ? "-dark" : "") + (scripts ? "" : "-plain") + ".png"));
        int drawings = count("canvas");
        assertThat(drawings).as("drawings").isBetween(scripts ? 2 : 0, scripts ? 100 : 0);
        assertNothingIsWrong(width);
        browser.value("document.querySelectorAll('details').forEach(each => { each.open = true; })");
        assertNothingIsWrong(width);
        assertThat(browser.text("document.body.innerText")).contains("user");
    }

    private static void open(int width) throws Exception {
        browser.look(width, false, true);
        browser.load(folder.resolve("recording.html"));
    }

    private static String textOf(String selector) throws Exception {
        return browser.text("document.querySelector('" + selector + "').textContent");
    }

    private static int count(String selector) throws Exception {
        return browser.value("document.querySelectorAll('" + selector + "').length").getAsInt();
    }

    private static void awaitHeadline(String start) throws Exception {
        browser.await("document.querySelector('h1').textContent.startsWith('" + start + "')");
    }

    @Test
    void theHeadlineAndTheTableFollowTheZoom() throws Exception {
        open(1280);
        assertThat(textOf("h1")).isEqualTo(Recordings.HEADLINE);
        assertThat(textOf("#rows .pool td:nth-child(2)")).isEqualTo("32.0");
        assertThat(textOf("#rows .pool td:nth-child(5)")).as("waits").isEqualTo("30.0");
        browser.drag("#pools .u-over", 0.55, 0.95);
        awaitHeadline("70.0 % of a CPU over 2");
        assertThat(textOf("h1")).endsWith(" s: 60.0 % user, 10.0 % system");
        assertThat(textOf("#rows .pool td:nth-child(2)")).isEqualTo("52.0");
        assertThat(browser.value("document.getElementById('all').disabled").getAsBoolean()).isFalse();
        browser.doubleClick("#process .u-over");
        awaitHeadline(Recordings.HEADLINE);
        browser.drag("#process .u-over", 0.05, 0.45);
        awaitHeadline("30.0 % of a CPU over 2");
        browser.value("document.getElementById('all').click()");
        awaitHeadline(Recordings.HEADLINE);
        assertNothingIsWrong(1280);
    }

    @Test
    void aFingerZoomsToo() throws Exception {
        open(390);
        browser.swipe("#pools .u-over", 0.6, 0.9);
        awaitHeadline("70.0 % of a CPU over 1");
        browser.value("document.getElementById('all').click()");
        awaitHeadline(Recordings.HEADLINE);
        assertNothingIsWrong(390);
    }

    @ParameterizedTest(name = "{0} pixels")
    @ValueSource(ints = {1280, 390})
    void whatIsUnderThePointerIsShownBesideTheCharts(int width) throws Exception {
        open(width);
        assertThat(textOf("#reading h3")).as("at first").endsWith(", the busiest");
        browser.point("#pools .u-over", 0.255); // in the 16th of 60 intervals
        browser.await("!document.querySelector('#reading h3').textContent.includes('busiest')");
        String second = browser.text("new Date(" + (Recordings.START_MILLIS + 15_000)
                + ").toLocaleTimeString([], { hourCycle: 'h23' })");
        assertThat(textOf("#reading h3")).startsWith(second + " to ");
        assertThat(textOf("#reading"))
                .contains("http-nio-8080-exec-1", "10.0 %", "100 ms", "300 ms");
        assertThat(count("#reading td[title=\"" + Recordings.LONG_NAME + "\"]")).as("whole names")
                .isEqualTo(1);
        assertThat(browser.value("(() => {"
                + " const a = document.getElementById('reading').getBoundingClientRect();"
                + " const charts = [...document.querySelectorAll('.chart')];"
                + " return charts.map(each => each.getBoundingClientRect())"
                + ".every(b => a.left >= b.right || a.top >= b.bottom || b.top >= a.bottom) })()")
                .getAsBoolean())
                .as("no chart is covered").isTrue();
        browser.picture(PICTURES.resolve("recording-" + width + "-reading.png"));
        assertNothingIsWrong(width);
    }

    @Test
    void theKeyboardWalksAndZooms() throws Exception {
        open(1280);
        assertThat(count(".chart[role=slider][tabindex][aria-label][aria-valuenow]"))
                .as("charts with role, label and value").isEqualTo(2);
        browser.value("document.getElementById('pools').focus()");
        browser.key("Home");
        assertThat(browser.text("document.activeElement.ariaValueNow")).isEqualTo("1");
        browser.key("ArrowRight");
        browser.key("ArrowRight");
        assertThat(browser.text("document.activeElement.ariaValueNow")).isEqualTo("3");
        assertThat(browser.text("document.activeElement.ariaValueText"))
                .endsWith(": 30.0 % of a CPU; most in http-nio-*-exec-*, 14.0 %");
        browser.key("+");
        awaitHeadline("30.0 % of a CPU over 30 s");
        browser.key("-");
        awaitHeadline(Recordings.HEADLINE);
        browser.key("+");
        awaitHeadline("30.0 % of a CPU over 30 s");
        browser.key("Escape");
        awaitHeadline(Recordings.HEADLINE);
        browser.key("End");
        assertThat(browser.text("document.activeElement.ariaValueNow"))
                .isEqualTo(String.valueOf(Recordings.INTERVALS));
        assertNothingIsWrong(1280);
    }

    @Test
    void threadsAreFoundByAPartOfTheirNames() throws Exception {
        open(390);
        browser.value("document.getElementById('search').focus()");
        browser.type("EXEC-2");
        assertThat(textOf("#found")).isEqualTo("1 of " + Recordings.THREADS + " threads");
        assertThat(textOf("#rows .thread")).startsWith("http-nio-8080-exec-2");
        assertNothingIsWrong(390);
        browser.type(" there is none");
        assertThat(textOf("#found")).isEqualTo("0 of " + Recordings.THREADS + " threads");
        assertThat(count("#rows tr")).isZero();
    }

    @Test
    void aPoolUnfoldsAndLeavesTheChart() throws Exception {
        open(1280);
        browser.value("document.querySelector('#rows .pool').click()");
        assertThat(count("#rows .thread")).isEqualTo(2);
        browser.value("document.querySelector('#rows .swatch').click()");
        assertThat(browser.text("document.querySelector('#rows .swatch').ariaPressed")).isEqualTo("false");
        assertNothingIsWrong(1280);
    }

    @Test
    void withoutScriptsEveryThreadIsInATable() throws Exception {
        browser.look(390, false, false);
        browser.load(folder.resolve("recording.html"));
        assertThat(browser.value("[...document.querySelectorAll('.live')]"
                + ".some(each => each.checkVisibility())").getAsBoolean())
                .as("controls that would do nothing").isFalse();
        assertThat(textOf("#rows"))
                .contains("http-nio-8080-exec-2", Recordings.LONG_NAME, "pool t");
        assertThat(count(".times tbody tr")).isEqualTo(Recordings.INTERVALS);
    }

    @Test
    void anOpenPageFollowsTheSchemeAndTheWindow() throws Exception {
        open(1280);
        browser.look(390, true, true);
        browser.await("[...plots].every(u => u.width < 390)");
        assertThat(browser.value("[...plots].every(u => u.axes[0].stroke() === css('--soft'))")
                .getAsBoolean()).isTrue();
        assertNothingIsWrong(390);
        browser.picture(PICTURES.resolve("recording-switched.png"));
    }
}
