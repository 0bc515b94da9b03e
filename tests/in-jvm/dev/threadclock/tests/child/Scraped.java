// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** A child program that scrapes its own metrics, then is {@link Hello}. Argument: the agent's log. */
public final class Scraped {
    private static final String ADDRESS = "(?s).*metrics at http://127.0.0.1:(\\d+)/metrics.*";

    public static void main(String[] args) throws IOException {
        scrape(args[0]);
        System.out.println("scraped");
        Hello.main(args);
    }

    /** The answer of the agent with this log. */
    static String scrape(String logFile) throws IOException {
        String log = new String(Files.readAllBytes(Paths.get(logFile)), StandardCharsets.UTF_8);
        int port = Integer.parseInt(log.replaceFirst(ADDRESS, "$1"));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            for (int each; (each = in.read()) >= 0;) {
                answer.write(each);
            }
        }
        if (!answer.toString().startsWith("HTTP/1.1 200 ")) {
            throw new IllegalStateException(answer.toString());
        }
        return answer.toString();
    }
}
