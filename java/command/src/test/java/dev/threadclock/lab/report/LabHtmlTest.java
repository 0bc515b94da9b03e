// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.page.Html;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page fetches nothing, shows every result, and escapes all text. */
class LabHtmlTest {
    /** Of the hostile result: one of each kind of curve, and the histogram of the percentiles. */
    private static final int FIGURES = 4 + 1;

    private static String page(Result... results) {
        return new LabHtml(Reports.of(results)).render();
    }

    @Test
    void thePageIsCompleteAndForbidsItselfToFetch() {
        String page = page(Reports.hostile());
        assertThat(page).startsWith("<!DOCTYPE html>").endsWith("</html>\n")
                .contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';");
        assertThat(page).doesNotContainPattern("<(script|img|link|iframe)[^>]+(src|href)=\"")
                .doesNotContainPattern("url\\(|@import");
    }

    @Test
    void everyTextIsEscapedAndNotFilledInTwice() {
        String page = page(Reports.hostile());
        assertThat(page).doesNotContain("<script src").contains(Html.escape(Reports.HOSTILE));
        assertThat(page.split("</script>", -1)).as("ends of scripts").hasSameSizeAs(page.split("<script", -1))
                .hasSize(1 + 3 + FIGURES);
        assertThat(page.replace("{{VERDICTS}}", "")).as("places left in the template").doesNotContain("{{");
    }

    @Test
    void attachedPagesAreInFramesThatMayOnlyRunScripts() {
        assertThat(page(Reports.hostile())).contains("<iframe sandbox=\"allow-scripts\"",
                "srcdoc=\"&lt;h1&gt;&lt;/script&gt;");
    }

    @Test
    void everyResultHasItsRowAndItsSection() {
        Result[] results = Arrays.stream(Verdict.values())
                .map(verdict -> Reports.result(verdict.name().toLowerCase(Locale.ROOT), verdict.ordinal() + 1,
                        verdict, Reports.QUIET,
                        Reports.mean(1234, 5)))
                .toArray(Result[]::new);
        String page = page(results);
        for (Result result : results) {
            assertThat(page).contains("href=\"#" + result.name() + "\"",
                    "<section id=\"" + result.name() + "\">",
                    ">" + result.verdict().words() + "</span>");
        }
        assertThat(page).contains(
                "5 experiments: 1 confirmed, 1 not confirmed, 1 not runnable here, 1 too noisy, 1 failed",
                "1.23 µs ± 5 ns");
    }

    @Test
    void everyCurveIsAFigureWithItsValuesAndAnEmptyOneIsNot() {
        List<JsonArray> figures = Pattern.compile("<script type=\"application/json\">(.*?)</script>")
                .matcher(page(Reports.hostile())).results()
                .map(found -> JsonParser.parseString(found.group(1)).getAsJsonArray()).toList();
        assertThat(figures).hasSize(FIGURES).allSatisfy(curves -> {
            JsonObject curve = curves.get(0).getAsJsonObject();
            assertThat(curve.get("name").getAsString()).isEqualTo(Reports.HOSTILE);
            assertThat(curve.get("points").getAsJsonArray()).isNotEmpty();
        });
        assertThat(figures.get(0).get(0).getAsJsonObject().get("points"))
                .hasToString("[[0.0,5.0],[50.0,10.0],[99.9999,100.0],[100.0,5000000.0]]");
    }

    @Test
    void everyFigureHasALabelAndASentenceForThoseWithoutScripts() {
        String page = page(Reports.hostile());
        assertThat(page.split("<div role=\"img\" aria-label=\"group [A-Z_]+&lt;/script&gt;", -1))
                .hasSize(1 + FIGURES).hasSameSizeAs(page.split("<noscript>A script draws this", -1));
    }

    @Test
    void whereNothingWasPublishedThePageSaysSo() {
        Result ours = new Result("ours", Reports.hostile().rows(), "t", "q", "", "c", "2026-01-31T10:00:00Z",
                1, Reports.QUIET,
                Reports.hostile().outcome());
        assertThat(page(ours)).contains("By nobody: new here.");
    }
}
