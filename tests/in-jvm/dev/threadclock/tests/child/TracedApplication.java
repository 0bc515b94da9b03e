// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.ThreadClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A child program: a web server for OpenTelemetry's agent to trace, on virtual threads with the argument
 * {@code virtual}, on platform threads that virtual ones help with {@code mixed}. Prints {@code port=N}.
 * {@code /work} burns CPU time on the thread that serves it and on a second one, and answers with what these
 * threads read of themselves, in nanoseconds. {@code /process} answers with the CPU time of such threads and
 * of the thread that dispatches to them. {@code /end} ends the server.
 */
public final class TracedApplication {
    private static final long SERVING_NANOS = 300_000_000;
    private static final long HELPING_NANOS = 200_000_000;
    /** Kinds of groups, besides pools, that the application's threads belong to. */
    private static final Set<CpuGroup.Kind> VIRTUAL = EnumSet.of(CpuGroup.Kind.VIRTUAL,
            CpuGroup.Kind.CARRIER);

    private final ExecutorService serving;
    private final ExecutorService helping;
    private final HttpServer server;

    private TracedApplication(ExecutorService serving, ExecutorService helping) throws IOException {
        this.serving = serving;
        this.helping = helping;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(serving);
        server.createContext("/work", exchange -> answer(exchange, work()));
        server.createContext("/process", exchange -> answer(exchange, processNanos()));
        server.createContext("/end", exchange -> {
            answer(exchange, 0);
            new Thread(this::end).start();
        });
    }

    public static void main(String[] args) throws Exception {
        boolean helps = args.length > 0;
        boolean serves = helps && args[0].equals("virtual");
        TracedApplication application = new TracedApplication(
                serves ? virtualThreads() : Executors.newFixedThreadPool(2),
                helps ? virtualThreads() : Executors.newFixedThreadPool(2));
        application.server.start();
        System.out.println("port=" + application.server.getAddress().getPort());
    }

    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private long work() throws IOException {
        long served = burn(SERVING_NANOS);
        try {
            return served + helping.submit(() -> burn(HELPING_NANOS)).get();
        } catch (ExecutionException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** Returns 0 if the thread cannot read its time, as a virtual thread that is not accounted for. */
    private static long burn(long nanos) {
        long begun = ThreadClock.totalNowNanos();
        if (begun < 0) {
            Burn.until(System.nanoTime() + nanos);
            return 0;
        }
        long used;
        do {
            for (int i = 0; i < 20; i++) {
                Burn.slice();
            }
            used = ThreadClock.totalNowNanos() - begun;
        } while (used < nanos);
        return used;
    }

    private static long processNanos() {
        return CpuAccount.read(Duration.ZERO).groups().stream()
                .filter(group -> VIRTUAL.contains(group.kind()) || group.name().startsWith("pool-")
                        || group.name().startsWith("HTTP-Dispatcher"))
                .mapToLong(group -> group.times().totalNanos()).sum();
    }

    private static void answer(HttpExchange exchange, long number) throws IOException {
        byte[] body = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void end() {
        server.stop(1); // the seconds that the last answer may take
        serving.shutdown();
        helping.shutdown();
    }
}
