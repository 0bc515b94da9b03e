// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;

/** One keep-alive connection to a web server. A lost request is an exception; none is sent twice. */
final class HttpConnection implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    HttpConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Fails unless the answer is 200 with the request's own body. ASCII only. */
    void post(String path, String body) throws IOException {
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length()
                + "\r\n\r\n";
        socket.getOutputStream().write((head + body).getBytes(US_ASCII));
        String status = line();
        int length = -1;
        for (String field = line(); !field.isEmpty(); field = line()) {
            if (field.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Integer.parseInt(field.substring(15).strip());
            }
        }
        String answer = new String(in.readNBytes(Math.max(0, length)), US_ASCII);
        if (!status.startsWith("HTTP/1.1 200") || !answer.equals(body)) {
            throw new AssertionError(path + " " + body + " was answered " + status + ": " + answer);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next; (next = in.read()) != '\n'; line.append((char) next)) {
            if (next < 0) {
                throw new EOFException("the connection was closed after '" + line + "'");
            }
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
