// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.lab.model.Verdict;
import dev.threadclock.terminal.page.Html;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The page fetches nothing, shows every result, and escapes all text. */
class LabHtmlTest {
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
        assertThat(page.split("</script>", -1)).as("ends of scripts").hasSize(2);
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
    void everyCurveIsDrawnWithinItsPictureAndAnEmptyOneIsNot() {
        String page = page(Reports.hostile());
        // One polyline per kind of curve, and the histogram of the percentiles.
        assertThat(page.split("<polyline", -1)).hasSize(1 + 4 + 1);
        assertThat(page).doesNotContain("NaN", "Infinity");
        assertThat(page).contains("99.9999 %: 100 ns|max: 5.00 ms");
    }

    @Test
    void whereNothingWasPublishedThePageSaysSo() {
        Result ours = new Result("ours", Reports.hostile().rows(), "t", "q", "", "c", "2026-01-31T10:00:00Z",
                1, Reports.QUIET,
                Reports.hostile().outcome());
        assertThat(page(ours)).contains("By nobody: new here.");
    }
}
