// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.pages;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A headless Chromium with one page, a mouse and a keyboard, controlled over its DevTools protocol, which
 * needs only the JDK's own WebSocket. Keeps what the page's console prints and which addresses it requests.
 */
final class Browser implements AutoCloseable, WebSocket.Listener {
    /** A busy machine takes a while to start a browser. */
    private static final long PATIENCE_SECONDS = 240;

    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome",
            "chromium-headless-shell");
    private static final Gson GSON = new Gson();
    private static final int HEIGHT = 900;
    private static final int TALLEST_PICTURE = 8000;
    /** The methods of events that a faultless page does not cause. */
    private static final Set<String> COMPLAINTS = Set.of("Runtime.exceptionThrown", "Log.entryAdded");

    private final Process process;
    private final Map<Integer, CompletableFuture<JsonObject>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> fetched = new CopyOnWriteArrayList<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;
    private int calls;
    private int width;

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
    Browser(Path program, Path profile) throws Exception {
        Path log = profile.resolve("log");
        // Its own sandbox needs user namespaces, which containers lack; and the pages are our own.
        process = new ProcessBuilder(program.toString(), "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update", "--user-data-dir=" + profile, "--remote-debugging-port=0",
                "about:blank").redirectErrorStream(true).redirectOutput(log.toFile()).start();
        Path portFile = profile.resolve("DevToolsActivePort");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(portFile) || Files.size(portFile) == 0) {
            if (!process.isAlive() || System.nanoTime() > end) {
                stop(process.descendants());
                throw new AssertionError(program + " does not start: " + Files.readString(log));
            }
            Thread.sleep(50);
        }
        try {
            socket = connect(Files.readAllLines(portFile).get(0));
            for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
                call(domain + ".enable", Map.of());
            }
        } catch (Exception | Error e) {
            stop(process.descendants());
            throw e;
        }
    }

    private WebSocket connect(String port) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        String page = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                        .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                        .method("PUT", HttpRequest.BodyPublishers.noBody()).build(),
                BodyHandlers.ofString()).body();
        String address = JsonParser.parseString(page).getAsJsonObject().get("webSocketDebuggerUrl")
                .getAsString();
        return http.newWebSocketBuilder().buildAsync(URI.create(address), this)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            take(JsonParser.parseString(message.toString()).getAsJsonObject());
            message.setLength(0);
        }
        from.request(1);
        return null;
    }

    private void take(JsonObject received) {
        if (received.has("id")) {
            Optional.ofNullable(answers.remove(received.get("id").getAsInt()))
                    .ifPresent(answer -> answer.complete(received));
            return;
        }
        String method = received.get("method").getAsString();
        JsonObject params = received.getAsJsonObject("params");
        if (COMPLAINTS.contains(method) || method.equals("Runtime.consoleAPICalled")) {
            complaints.add(params.toString());
        } else if (method.equals("Network.requestWillBeSent")) {
            fetched.add(params.getAsJsonObject("request").get("url").getAsString());
        }
    }

    private JsonObject call(String method, Map<String, ?> params) throws Exception {
        int id = ++calls;
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(GSON.toJson(Map.of("id", id, "method", method, "params", params)), true)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        JsonObject received = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (received.has("error")) {
            throw new AssertionError(method + ": " + received.get("error"));
        }
        return received.getAsJsonObject("result");
    }

    /** width: of the window in CSS pixels; a narrow window is a phone's. */
    void look(int width, boolean dark, boolean scripts) throws Exception {
        this.width = width;
        call("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", width < 500));
        call("Emulation.setTouchEmulationEnabled", Map.of("enabled", width < 500));
        call("Emulation.setEmulatedMedia", Map.of("features",
                List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
        call("Emulation.setScriptExecutionDisabled", Map.of("value", !scripts));
    }

    /** Leaves the last page first, and moves the pointer away: a page is told what it rests on. */
    void load(Path file) throws Exception {
        call("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", 0, "y", 0));
        call("Page.navigate", Map.of("url", "about:blank"));
        await("location.href === 'about:blank'");
        complaints.clear();
        fetched.clear();
        call("Page.navigate", Map.of("url", file.toUri().toString()));
        await("document.readyState === 'complete' && location.href === '" + file.toUri() + "'");
    }

    /** The value of a JavaScript expression; if it is a promise, the promise's value. */
    JsonElement value(String expression) throws Exception {
        JsonObject result = call("Runtime.evaluate",
                Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return result.getAsJsonObject("result").get("value");
    }

    String text(String expression) throws Exception {
        return value(expression).getAsString();
    }

    /** Waits until the condition holds. Charts are drawn a moment after they are told to. */
    void await(String condition) throws Exception {
        for (long began = System.nanoTime(); !value(condition).getAsBoolean(); Thread.sleep(20)) {
            if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new AssertionError("waited in vain for " + condition);
            }
        }
    }

    /** Moves the pointer to a place in an element: halfway down, and from 0 (left) to 1 (right) across. */
    void point(String selector, double across) throws Exception {
        mouse("mouseMoved", selector, across, 0);
    }

    /** Moves the pointer with its button down from one place in an element to another. */
    void drag(String selector, double from, double to) throws Exception {
        point(selector, from);
        mouse("mousePressed", selector, from, 1);
        point(selector, (from + to) / 2);
        point(selector, to);
        mouse("mouseReleased", selector, to, 1);
    }

    /** Moves a finger from one place in an element to another. */
    void swipe(String selector, double from, double to) throws Exception {
        touch("touchStart", selector, from);
        for (int step = 1; step <= 4; step++) {
            touch("touchMove", selector, from + (to - from) * step / 4);
        }
        call("Input.dispatchTouchEvent", Map.of("type", "touchEnd", "touchPoints", List.of()));
    }

    private void touch(String type, String selector, double across) throws Exception {
        call("Input.dispatchTouchEvent",
                Map.of("type", type, "touchPoints", List.of(place(selector, across))));
    }

    void doubleClick(String selector) throws Exception {
        point(selector, 0.5);
        for (int click = 1; click <= 2; click++) {
            mouse("mousePressed", selector, 0.5, click);
            mouse("mouseReleased", selector, 0.5, click);
        }
    }

    private void mouse(String type, String selector, double across, int clicks) throws Exception {
        Map<String, Object> event = new HashMap<>(place(selector, across));
        event.putAll(Map.of("type", type, "clickCount", clicks, "button", clicks == 0 ? "none" : "left"));
        call("Input.dispatchMouseEvent", event);
    }

    private Map<String, Double> place(String selector, double across) throws Exception {
        String element = "document.querySelector('" + selector + "')";
        value(element + ".scrollIntoView({ block: 'center' })");
        JsonObject box = value(element + ".getBoundingClientRect().toJSON()").getAsJsonObject();
        return Map.of("x", box.get("x").getAsDouble() + across * box.get("width").getAsDouble(),
                "y", box.get("y").getAsDouble() + box.get("height").getAsDouble() / 2);
    }

    /** key: a value of KeyboardEvent.key. */
    void key(String key) throws Exception {
        call("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key, "code", key));
        call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key));
    }

    /** Types into the focused element. */
    void type(String text) throws Exception {
        call("Input.insertText", Map.of("text", text));
    }

    /** Messages of the console, uncaught exceptions, and violations of the page's policy. */
    List<String> complaints() {
        return complaints;
    }

    /** The addresses of everything that it has requested. */
    List<String> fetched() {
        return fetched;
    }

    /** Takes a picture of the whole page, for people to look at. */
    void picture(Path png) throws Exception {
        JsonObject size = call("Page.getLayoutMetrics", Map.of()).getAsJsonObject("cssContentSize");
        Map<String, ?> clip = Map.of("x", 0, "y", 0, "scale", 1, "width", width,
                "height", Math.min(TALLEST_PICTURE, size.get("height").getAsDouble()));
        JsonObject result = call("Page.captureScreenshot",
                Map.of("captureBeyondViewport", true, "clip", clip));
        Files.write(png, Base64.getDecoder().decode(result.get("data").getAsString()));
    }

    /** Asks it to end, so that it deletes its files outside the profile. */
    @Override
    public void close() throws Exception {
        List<ProcessHandle> helpers = process.descendants().toList(); // later they have another parent
        try {
            socket.sendText(GSON.toJson(Map.of("id", ++calls, "method", "Browser.close")), true)
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } finally {
            socket.abort();
            stop(Stream.concat(helpers.stream(), process.descendants()));
        }
    }

    /** Stops the process with all its helpers, which write to the profile. */
    private void stop(Stream<ProcessHandle> helpers) throws Exception {
        List<ProcessHandle> all = Stream.concat(helpers, Stream.of(process.toHandle())).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle each : all) {
            each.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
