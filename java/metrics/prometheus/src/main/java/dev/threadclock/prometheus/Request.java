// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.util.Locale;
import java.util.regex.Pattern;

/** What the head of an HTTP request asks for. */
final class Request {
    private static final String OPEN_METRICS = "application/openmetrics-text";
    /** At most one header Host: an address or localhost. Digits alone are no name. */
    private static final Pattern ADDRESS = Pattern
            .compile("(?i)(,[ \t]*+(([\\d.]+|\\[[\\da-f:.]+]|localhost\\.?)(:\\d*)?)?[ \t]*+)?");

    final String method;
    final String path; // without a query
    /** Not by a name, which its owner's name server could make this machine's for a web page. */
    final boolean byAddress;
    final boolean openMetrics;
    final boolean gzip;

    private Request(String method, String path, boolean byAddress, boolean openMetrics, boolean gzip) {
        this.method = method;
        this.path = path;
        this.byAddress = byAddress;
        this.openMetrics = openMetrics;
        this.gzip = gzip;
    }

    /** Null: not a request of HTTP 1. */
    static Request parse(String head) {
        String[] lines = head.split("\r?\n", -1);
        String[] words = lines[0].split(" ", -1);
        if (words.length != 3 || words[0].isEmpty() || !words[1].startsWith("/")
                || !words[2].startsWith("HTTP/1.")) {
            return null;
        }
        String accept = header(lines, "accept");
        double wanted = quality(accept, OPEN_METRICS);
        return new Request(words[0], words[1].split("\\?", 2)[0],
                ADDRESS.matcher(header(lines, "host")).matches(),
                wanted > 0 && wanted >= quality(accept, "text/plain"),
                quality(header(lines, "accept-encoding"), "gzip") > 0);
    }

    /** All of that name, as one list; "" if there is none. */
    private static String header(String[] lines, String name) {
        StringBuilder values = new StringBuilder();
        for (String line : lines) {
            int colon = line.indexOf(':');
            if (colon >= 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                values.append(',').append(line, colon + 1, line.length());
            }
        }
        return values.toString();
    }

    /**
     * How much a list such as {@code text/plain;version=0.0.4;q=0.5,text/html;q=0.1} wants this, at most; 0:
     * not at all. Wildcards do not count: those who name nothing get the plain format.
     */
    private static double quality(String list, String name) {
        double most = 0;
        for (String item : list.toLowerCase(Locale.ROOT).split(",")) {
            String[] parts = item.split(";");
            if (parts.length > 0 && parts[0].trim().equals(name)) {
                most = Math.max(most, quality(parts));
            }
        }
        return most;
    }

    private static double quality(String[] parts) {
        double quality = 1;
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].replace("\"", "").trim();
            if (parameter.startsWith("q=")) {
                quality = number(parameter.substring(2));
            } else if (parts[0].trim().equals(OPEN_METRICS) && parameter.startsWith("version=")
                    && !parameter.equals("version=1.0.0")) {
                return 0; // a version that is not written here
            }
        }
        return quality;
    }

    /** 0 for what is not a quality. */
    private static double number(String text) {
        return text.matches("0(\\.\\d{0,3})?|1(\\.0{0,3})?") ? Double.parseDouble(text) : 0;
    }
}
