// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTest {
    private static Request with(String headers) {
        return Request.parse("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    }

    private static boolean openMetrics(String accept) {
        return with("Accept: " + accept + "\r\n").openMetrics;
    }

    @Test
    void prometheusGetsOpenMetrics() {
        // What 2.42, 2.53 and 3.5 send.
        assertThat(openMetrics("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                + "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1")).isTrue();
        assertThat(openMetrics("application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-"
                + "text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2")).isTrue();
        assertThat(openMetrics("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-"
                + "utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2")).isTrue();
        assertThat(openMetrics("Application/OpenMetrics-Text ; Version=\"1.0.0\" ; charset=utf-8")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*/*", "text/html", "", "application/openmetrics-text;q=0",
        "application/openmetrics-text;version=0.0.1", "application/openmetrics-text;version=2.0.0",
        "application/openmetrics-text;q=0.4,text/plain;q=0.5", "application/openmetrics-text;q=x",
        "application/openmetrics-text;q=1.5", ";;,,;q=", "application/openmetrics-textual"})
    void othersGetPlainText(String accept) {
        assertThat(openMetrics(accept)).isFalse();
    }

    @Test
    void gzipIsForThoseWhoNameIt() {
        assertThat(with("").gzip).isFalse();
        assertThat(with("ACCEPT-Encoding: deflate, gzip;q=0.5\r\n").gzip).isTrue();
        assertThat(with("Accept-Encoding: deflate\r\naccept-encoding: gzip\r\n").gzip).isTrue();
        assertThat(with("Accept-Encoding: gzip;q=0\r\n").gzip).isFalse();
        assertThat(with("Accept-Encoding: identity, *\r\n").gzip).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Host: 127.0.0.1\r\n", "Host: 10.0.0.1:9464\r\n", "Host: [::1]\r\n",
        "host:[::ffff:127.0.0.1]:9464 \r\n", "Host:\r\n", "HOST: LocalHost\r\n", "Host: localhost.:1\r\n",
        "Host: localhost:\r\n"})
    void anAddressLocalhostAndNoneAreNoNames(String host) {
        assertThat(Request.parse("GET /metrics HTTP/1.0\r\n" + host + "\r\n").byAddress).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "localhost.example", "127.0.0.1.example", "a.localhost", "[::1].example",
        "127.0.0.1:80.example", "[::1]example", "example@127.0.0.1", "localhost, localhost", "::1",
        "127.0.0.1\r\nHost: 127.0.0.1", "localhost\r\nhost: example", "\r\nHost:", "127.0.0.1 x", "[x]"})
    void othersAreNames(String host) {
        assertThat(Request.parse("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n").byAddress)
                .isFalse();
    }

    @Test
    void thePathIsWithoutItsQuery() {
        assertThat(with("").path).isEqualTo("/metrics");
        assertThat(Request.parse("HEAD / HTTP/1.0\n\n").method).isEqualTo("HEAD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "GET metrics HTTP/1.1\r\n\r\n", "GET http://localhost/metrics HTTP/1.1\r\n\r\n",
        "GET /metrics HTTP/2\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
        " /metrics HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001\n\n"})
    void whatIsNotHttpIsNoRequest(String head) {
        assertThat(Request.parse(head)).isNull();
    }

    /** Pieces of requests in any order: each is a request or none, and never an exception. */
    @Test
    void noRequestThrows() {
        String[] pieces = {"GET", " ", "/", "/metrics", "?", "HTTP/1.1", "\r\n", "\n", "\r", "Accept", ":",
            "accept-encoding:", ",", ";", "q=", "0.5", "gzip", "application/openmetrics-text", "version=",
            "\"", "\0", "\u00ff"};
        Random random = new Random(1);
        int requests = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder head = new StringBuilder(i % 2 == 0 ? "GET /metrics HTTP/1.1\r\n" : "");
            for (int length = random.nextInt(20); length > 0; length--) {
                head.append(pieces[random.nextInt(pieces.length)]);
            }
            requests += Request.parse(head + "\r\n\r\n") == null ? 0 : 1;
        }
        assertThat(requests).isBetween(100_000, 199_999);
    }
}
