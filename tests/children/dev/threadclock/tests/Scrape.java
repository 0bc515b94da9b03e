// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the agent's option prometheus= serves at one time. */
record Scrape(String text) {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+(?:\\{.*\\})?) (\\d+(?:\\.\\d{1,9})?)");

    /** address: as the status or the log names it. */
    static Scrape of(String address) {
        HttpResponse<String> answer = get("http://" + address + "/metrics", "Accept", "*/*");
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer + ": " + answer.body());
        }
        return new Scrape(answer.body());
    }

    static HttpResponse<String> get(String uri, String... headers) {
        try {
            return HTTP.send(HttpRequest.newBuilder(URI.create(uri)).timeout(LIMIT).headers(headers).build(),
                    BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(uri, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** False if nothing listens there. */
    static boolean answers(String address) {
        try {
            of(address);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Maps names with labels to values. Fails if a line is neither a sample nor a comment. */
    Map<String, BigDecimal> samples() {
        Map<String, BigDecimal> samples = new LinkedHashMap<>();
        text.lines().filter(line -> !line.startsWith("# ")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches() || samples.put(sample.group(1), new BigDecimal(sample.group(2))) != null) {
                throw new AssertionError("not a sample, or there twice: " + line);
            }
        });
        return samples;
    }

    /** Of all series of this name whose labels contain this text. */
    double sum(String name, String label) {
        return samples().entrySet().stream().filter(sample -> sample.getKey().startsWith(name + "{"))
                .filter(sample -> sample.getKey().contains(label)).map(Map.Entry::getValue)
                .reduce(BigDecimal.ZERO, BigDecimal::add).doubleValue();
    }

    /** Fails if a total that was among these samples is missing or less now, and adds the present ones. */
    void assertNotBelow(Map<String, BigDecimal> before) {
        Map<String, BigDecimal> samples = samples();
        before.forEach((name, value) -> {
            if (name.contains("_total")) {
                assertThat(samples.get(name)).as(name).isGreaterThanOrEqualTo(value);
            }
        });
        before.putAll(samples);
    }
}
