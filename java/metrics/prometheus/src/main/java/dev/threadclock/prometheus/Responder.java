// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Answers requests: the metrics, or what is wrong with the request. Not for several threads. */
final class Responder {
    /** SCRAPE_HEAD_BYTES of the agent. */
    static final int MAX_HEAD = 8192;

    private static final String PATH = "/metrics";
    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final String TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final ProcessAccount source;
    private final Exposition exposition;

    Responder(ProcessAccount source) {
        this.source = source;
        exposition = new Exposition(source.version());
    }

    /** local: a browser on this machine must not ask for others' web pages. */
    byte[] respond(String head, boolean local) {
        if (head.length() >= MAX_HEAD && !head.contains("\n\n") && !head.contains("\n\r\n")) {
            return refusal("431 Request Header Fields Too Large", "",
                    "More than " + MAX_HEAD + " bytes of headers.", true);
        }
        Request request = Request.parse(head);
        if (request == null) {
            return refusal("400 Bad Request", "", "This is HTTP 1, and the request is not.", true);
        }
        boolean withBody = !request.method.equals("HEAD");
        if (local && !request.byAddress) {
            return refusal("403 Forbidden", "", "Ask for an IP address or localhost: under another name,"
                    + " web pages could read the metrics.", withBody);
        }
        if (withBody && !request.method.equals("GET")) {
            return refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n",
                    "The metrics can only be read: GET " + PATH, true);
        }
        if (!request.path.equals(PATH)) {
            return refusal("404 Not Found", "", "The metrics are at " + PATH, withBody);
        }
        byte[] body;
        try {
            body = exposition.of(source.read(), request.openMetrics);
        } catch (IllegalStateException e) {
            return refusal("503 Service Unavailable", "",
                    "The threads of this JVM cannot be read: " + e.getMessage(), withBody);
        }
        String type = request.openMetrics ? OPEN_METRICS : TEXT_FORMAT;
        return request.gzip ? response("200 OK", type, "Content-Encoding: gzip\r\n", zipped(body), withBody)
                : response("200 OK", type, "", body, withBody);
    }

    private static byte[] refusal(String status, String header, String why, boolean withBody) {
        return response(status, PLAIN, header, (why + "\n").getBytes(StandardCharsets.UTF_8), withBody);
    }

    private static byte[] response(String status, String type, String header, byte[] body,
            boolean withBody) {
        byte[] head = ("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                + body.length
                + "\r\n" + header + "Vary: Accept, Accept-Encoding\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] response = Arrays.copyOf(head, head.length + (withBody ? body.length : 0));
        System.arraycopy(body, 0, response, head.length, response.length - head.length);
        return response;
    }

    private static byte[] zipped(byte[] body) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream(body.length / 8);
        try (OutputStream out = new FastGzip(zipped)) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not from memory
        }
        return zipped.toByteArray();
    }

    /** The level that costs the JVM least. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
