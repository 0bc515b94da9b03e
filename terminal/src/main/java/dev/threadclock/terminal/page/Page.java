// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.terminal.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A self-contained page: a template from the jar with its parts filled in, and the style that all pages
 * share.
 */
public final class Page {
    private static final Pattern PLACE = Pattern.compile("\\{\\{([A-Z]+)}}");

    private Page() {}

    /**
     * The resource beside the class, with each {{NAME}} replaced once: inserted text is not scanned again.
     */
    public static String fill(Class<?> beside, String template, Map<String, String> parts) {
        Map<String, String> all = new HashMap<>(parts);
        all.put("STYLE", resource(Page.class, "page.css"));
        return PLACE.matcher(resource(beside, template)).replaceAll(place -> Matcher.quoteReplacement(all.get(place.group(1))));
    }

    /** The text of a resource beside the class. */
    public static String resource(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar is damaged: " + name + " cannot be read", e);
        }
    }
}
