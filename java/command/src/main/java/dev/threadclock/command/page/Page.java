// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Self-contained pages: the frame, the style and uPlot, which all of them share, around a page's own text,
 * style and scripts, which are resources beside a class.
 */
public final class Page {
    private static final Pattern PLACE = Pattern.compile("\\{\\{([A-Z]+)}}");

    private Page() {}

    /**
     * Renders the page NAME.html with the style NAME.css. Each {{PLACE}} is filled in once; inserted text is
     * not scanned again.
     *
     * @param title as plain text
     * @param scripts JavaScript, each a script of its own
     */
    public static String render(
            Class<?> beside, String name, String title, Map<String, String> parts, String... scripts) {
        return fill(resource(Page.class, "frame.html"), Map.of(
                "TITLE", escape(title),
                "STYLE",
                resource(Page.class, "uplot/uPlot.min.css") + resource(Page.class, "page.css")
                        + resource(beside, name + ".css"),
                "BODY", fill(resource(beside, name + ".html"), parts),
                "SCRIPTS",
                Stream.concat(
                        Stream.of("uplot/uPlot.iife.min.js", "plot.js").map(own -> resource(Page.class, own)),
                        Arrays.stream(scripts)).map(script -> "<script>\n" + script + "</script>\n")
                        .collect(Collectors.joining())));
    }

    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** String.format with a decimal point in every locale. */
    public static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    private static String fill(String template, Map<String, String> parts) {
        return PLACE.matcher(template)
                .replaceAll(place -> Matcher.quoteReplacement(parts.get(place.group(1))));
    }

    /** Reads a resource beside the class as text. */
    public static String resource(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar is damaged: " + name + " cannot be read", e);
        }
    }
}
