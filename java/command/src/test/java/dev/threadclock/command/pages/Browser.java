// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.pages;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium, controlled over its DevTools protocol, which needs only the JDK's own WebSocket. */
final class Browser implements AutoCloseable {
    /** A busy machine takes a while to start a browser. */
    static final long PATIENCE_SECONDS = 240;

    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome",
            "chromium-headless-shell");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final int port;

    private Browser(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** The first Chromium on the path that runs. */
    static Optional<Path> installed() {
        List<Path> folders = Arrays.stream(System.getenv("PATH").split(":")).map(Path::of).toList();
        return PROGRAMS.stream().flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable).filter(Browser::runs).findFirst();
    }

    /** Ubuntu has scripts with that name which only explain how to get the program. */
    private static boolean runs(Path program) {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor() == 0;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    /** profile: an empty folder for the browser's files. */
    static Browser start(Path program, Path profile) throws Exception {
        Path log = profile.resolve("log");
        // Its own sandbox needs user namespaces, which containers lack; and the pages are our own.
        Process process = new ProcessBuilder(program.toString(), "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update", "--user-data-dir=" + profile, "--remote-debugging-port=0",
                "about:blank").redirectErrorStream(true).redirectOutput(log.toFile()).start();
        Path portFile = profile.resolve("DevToolsActivePort");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(portFile) || Files.size(portFile) == 0) {
            if (!process.isAlive() || System.nanoTime() > end) {
                stop(process);
                throw new AssertionError(program + " does not start: " + Files.readString(log));
            }
            Thread.sleep(50);
        }
        return new Browser(process, Integer.parseInt(Files.readAllLines(portFile).get(0)));
    }

    /** Opens another tab. */
    BrowserPage open() throws Exception {
        JsonObject target = JsonParser.parseString(request("PUT", "/json/new?about:blank")).getAsJsonObject();
        return new BrowserPage(http, URI.create(target.get("webSocketDebuggerUrl").getAsString()),
                () -> request("GET", "/json/close/" + target.get("id").getAsString()));
    }

    private String request(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                .method(method, HttpRequest.BodyPublishers.noBody()).build();
        return http.send(request, BodyHandlers.ofString()).body();
    }

    /** Asks it to end, so that it deletes its files outside the profile. */
    @Override
    public void close() throws Exception {
        open().endBrowser();
        process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        stop(process);
    }

    /** Stops the process with all its helpers, which write to the profile. */
    private static void stop(Process process) throws Exception {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle each : all) {
            each.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
