// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.Accounts;
import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class ResponderTest {
    private static final String GET = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private RuntimeException failure;
    private final Responder responder = new Responder(new ProcessAccount() {
        @Override
        CpuAccount read() {
            if (failure != null) {
                throw failure;
            }
            return Accounts.of(0, 0, Accounts.group(Kind.JAVA, "main", 1, 1, 1));
        }

        @Override
        String version() {
            return "1";
        }
    });

    private String answer(String request) {
        return new String(responder.respond(request, true), StandardCharsets.UTF_8);
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    @Test
    void itServesMetrics() {
        String answer = answer(GET);
        assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").contains("\r\nConnection: close\r\n",
                "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n",
                "\r\nContent-Length: " + body(answer).length() + "\r\n");
        assertThat(body(answer)).contains("threadclock_threads{kind=\"java\",group=\"main\"} 3\n");
        assertThat(answer("GET /metrics?a=b HTTP/1.0\n\n")).startsWith("HTTP/1.1 200 ");
        String open = answer("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n");
        assertThat(open)
                .contains("\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n")
                .endsWith("# EOF\n");
    }

    @Test
    void gzipIsTheSame() throws IOException {
        byte[] answer = responder.respond("GET /metrics HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n", true);
        String head = new String(answer, StandardCharsets.ISO_8859_1);
        int start = head.length() - body(head).length();
        assertThat(head.substring(0, start)).contains("\r\nContent-Encoding: gzip\r\n",
                "\r\nContent-Length: " + (answer.length - start) + "\r\n");
        GZIPInputStream in = new GZIPInputStream(
                new ByteArrayInputStream(Arrays.copyOfRange(answer, start, answer.length)));
        ByteArrayOutputStream unzipped = new ByteArrayOutputStream();
        for (int each; (each = in.read()) >= 0;) {
            unzipped.write(each);
        }
        assertThat(unzipped.toString("UTF-8")).isEqualTo(body(answer(GET)));
    }

    @Test
    void headHasTheLengthAndNoBody() {
        assertThat(answer(GET.replace("GET", "HEAD"))).endsWith("\r\n\r\n")
                .contains("\r\nContent-Length: " + body(answer(GET)).length() + "\r\n");
        assertThat(answer("HEAD /x HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ").endsWith("\r\n\r\n");
    }

    @Test
    void theRestIsRefusedWithAHint() {
        assertThat(answer("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ")
                .endsWith("The metrics are at /metrics\n");
        assertThat(answer("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b"))
                .startsWith("HTTP/1.1 405 ").contains("\r\nAllow: GET, HEAD\r\n");
        assertThat(answer("hello\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(answer("\u0016\u0003\u0001")).as("TLS").startsWith("HTTP/1.1 400 ");
        String start = "GET /metrics HTTP/1.1\r\nX: ";
        String filled = start + String.join("",
                Collections.nCopies(Responder.MAX_HEAD - start.length() - 4, "x"));
        assertThat(answer(filled + "\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        assertThat(answer(filled + "xxxx")).startsWith("HTTP/1.1 431 ");
        failure = new IllegalStateException("no /proc");
        assertThat(answer(GET)).startsWith("HTTP/1.1 503 ").contains("no /proc");
        failure = new ArithmeticException("a bug");
        assertThatThrownBy(() -> answer(GET)).isSameAs(failure);
        failure = null;
        assertThat(answer(GET)).as("the next one").startsWith("HTTP/1.1 200 ");
    }

    @Test
    void anInterruptOfTheAgentsThreadDoesNotStay() {
        Thread.currentThread().interrupt();
        assertThat(new String(Prometheus.respond(new byte[0], true), StandardCharsets.UTF_8))
                .startsWith("HTTP/1.1 400 ");
        assertThat(Thread.interrupted()).isFalse();
    }

    /** A web page whose name suddenly leads to this machine would be asking under its own name. */
    @Test
    void onLoopbackNamesAreRefused() {
        String request = GET.replace("localhost", "page.example");
        assertThat(answer(request)).startsWith("HTTP/1.1 403 ").contains("localhost")
                .doesNotContain("threadclock");
        assertThat(new String(responder.respond(request, false), StandardCharsets.UTF_8))
                .startsWith("HTTP/1.1 200 ");
    }
}
