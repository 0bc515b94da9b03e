// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.HttpApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.servlet.Servlet;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/**
 * The agent comes and goes in a busy web server: no request is lost, no answer is wrong, nothing is printed.
 */
class RealApplicationTest {
    private static final int CLIENTS = 4;
    private static final int TIMES = 10;
    private static final int TIMES_ELSEWHERE = 3;
    private static final int REQUESTS_A_PHASE = 100;
    private static final int MOST_BODY_CHARACTERS = 20_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final Path[] JETTY = List
            .of(Server.class, HttpFields.class, EndPoint.class, Callback.class, Servlet.class).stream()
            .map(Product::origin).toArray(Path[]::new);

    /** Limits logging to warnings and errors. */
    private static final String[] QUIET = {"-Dorg.eclipse.jetty.LEVEL=WARN",
        "-Dorg.eclipse.jetty.util.log.announce=false"};

    /** The number of requests answered to all clients. */
    private final AtomicLong answered = new AtomicLong();
    private volatile boolean enough;

    @OnEachJdk
    void comesAndGoesUnderLoad(TestJdk jdk) throws Exception {
        Running server = ChildJvm.of(jdk).withClassPath(JETTY).with(QUIET).start(HttpApplication.class);
        int times = jdk.isThorough() ? TIMES : TIMES_ELSEWHERE;
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            int port = port(server);
            List<Future<Long>> loads = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                loads.add(clients.submit(() -> load(port, client)));
            }
            long sent = 0;
            try (HttpConnection control = new HttpConnection(port)) {
                for (int phase = 1; phase <= 2 * times; phase++) {
                    change(control, server, phase, loads);
                }
                enough = true;
                for (Future<Long> load : loads) {
                    sent += load.get(1, TimeUnit.MINUTES);
                }
                control.post("/end", "");
            }
            assertEnd(jdk, server.end(), sent);
        } finally {
            enough = true;
            clients.shutdownNow();
            server.process().destroyForcibly();
        }
    }

    private static void assertEnd(TestJdk jdk, Result result, long sent) {
        System.out.println("  " + jdk + ": " + result.out().replace('\n', ' ').strip());
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.out()).matches("port=\\d+\nserved=\\d+ fine=\\d+ wrong=\\d+ first=\\S+\n");
        assertThat(result.number("served")).as("each request once").isEqualTo(sent);
        assertThat(result.number("wrong")).as(result.toString()).isZero();
        assertThat(result.number("fine")).as("the agent has answered").isPositive();
        assertThat(Documented.printed(result.errLines()))
                .isEqualTo(jdk.feature() >= 21 ? Documented.output("attach 21") : List.of());
    }

    /** Begins the next phase and waits for some requests in it. Phase 1 is the first with the agent. */
    private void change(HttpConnection control, Running server, int phase, List<Future<Long>> loads)
            throws Exception {
        control.post("/phase", "-1");
        String command = phase % 2 == 1 ? "attach" : "detach";
        Result result = AttachJvm.command(command, Long.toString(server.process().pid()));
        assertThat(result.exitCode())
                .as("%s in phase %d: %s\nthe server: %s", command, phase, result, server.state()).isZero();
        control.post("/phase", Integer.toString(phase));
        long until = answered.get() + REQUESTS_A_PHASE;
        for (long began = System.nanoTime(); answered.get() < until; AttachJvm.sleep(1)) {
            Optional<Future<Long>> ended = loads.stream().filter(Future::isDone).findFirst();
            if (ended.isPresent()) {
                throw new AssertionError("in phase " + phase + " a client ended: " + ended.get().get());
            }
            assertThat(System.nanoTime() - began).as("nanoseconds of waiting for answers")
                    .isLessThan(PATIENCE_NANOS);
        }
    }

    /** Sends one client's requests, one after the other. Returns their number. */
    private long load(int port, int client) throws IOException {
        long sent = 0;
        try (HttpConnection connection = new HttpConnection(port)) {
            while (!enough) {
                connection.post("/work",
                        client + "/" + sent + " " + "x".repeat((int) (sent * 997 % MOST_BODY_CHARACTERS)));
                sent++;
                answered.incrementAndGet();
            }
        }
        return sent;
    }

    private static int port(Running server) throws IOException {
        for (long began = System.nanoTime(); System.nanoTime() - began < PATIENCE_NANOS; AttachJvm
                .sleep(20)) {
            String out = Files.readString(server.out());
            if (out.endsWith("\n") || !server.process().isAlive()) {
                return (int) new Result(server.command(), 0, out, Files.readString(server.err()))
                        .number("port");
            }
        }
        throw new AssertionError("no server");
    }
}
