// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A child program: a Jetty server whose handlers meter themselves and all threads, as monitored applications
 * do. Prints {@code port=N}. {@code POST /work} is answered with its own body. The body of {@code POST
 * /phase} says whether the agent (an odd number) or the JVM (an even number) answers ThreadMXBean from now
 * on; a negative number means that this is uncertain. {@code POST /end} prints {@code served=N fine=N wrong=N
 * first=TEXT} and ends the server once its clients have gone: requests served, times of the agent that are
 * finer than a kernel's tick, wrong answers, and the first of these.
 */
public final class HttpApplication extends AbstractHandler {
    private static final int HANDLERS = 12;
    private static final long MILLISECOND_NANOS = 1_000_000;

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong fine = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final ThreadLocal<Seen> seen = ThreadLocal.withInitial(Seen::new);
    private volatile String first = "none";
    private volatile int phase;

    private HttpApplication() {}

    /**
     * What one handler's thread has read in a phase. Values are compared only within a phase and a thread.
     */
    private static final class Seen {
        private final Map<Long, Long> users = new HashMap<>();
        private int phase;
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(new QueuedThreadPool(HANDLERS, HANDLERS));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        HttpApplication application = new HttpApplication();
        server.setHandler(application);
        server.start();
        System.out.println("port=" + connector.getLocalPort());
        Threads.await(application.end);
        while (!connector.getConnectedEndPoints().isEmpty()) {
            Threads.pause(10); // the last answer is still being sent
        }
        server.stop();
    }

    @Override
    public void handle(String target, Request jetty, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        byte[] body = new byte[request.getContentLength()];
        for (int length = 0, more; length < body.length; length += more) {
            more = request.getInputStream().read(body, length, body.length - length);
            if (more < 0) {
                throw new IOException("body ended after " + length + " of " + body.length);
            }
        }
        switch (target) {
            case "/work" :
                Burn.slice();
                meter();
                served.incrementAndGet();
                break;
            case "/phase" :
                phase = Integer.parseInt(new String(body, StandardCharsets.US_ASCII));
                break;
            default :
                System.out.println(
                        "served=" + served + " fine=" + fine + " wrong=" + wrong + " first=" + first);
                end.countDown();
        }
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        jetty.setHandled(true);
    }

    private void meter() {
        long own = Threads.own();
        int before = phase;
        long user = THREADS.getCurrentThreadUserTime();
        long byId = THREADS.getThreadUserTime(own);
        long total = THREADS.getCurrentThreadCpuTime();
        long[] ids = THREADS.getAllThreadIds();
        long[] users = THREADS.getThreadUserTime(ids);
        boolean known = before == phase && before >= 0;
        boolean agent = known && before % 2 == 1;

        check(user >= 0 && byId >= 0, "own", own, user, byId);
        check(!agent || user <= byId, "own by id is less than as current", own, user, byId);
        check(!agent || byId <= total, "own user is more than total", own, byId, total);
        if (agent && user % MILLISECOND_NANOS != 0) {
            fine.incrementAndGet();
        }
        for (int i = 0; i < ids.length; i++) {
            check(users[i] >= -1 && (ids[i] != own || users[i] >= 0), "no time", ids[i], users[i], 0);
        }
        if (known) {
            neverBack(before, own, user, byId, ids, users);
        }
    }

    private void neverBack(int now, long own, long user, long byId, long[] ids, long[] users) {
        Seen before = seen.get();
        if (before.phase != now) {
            before.users.clear();
            before.phase = now;
        }
        advance(before, own, user);
        if (now % 2 == 1) {
            advance(before, own, byId); // JDK-8372704: without the agent it may be total time
        }
        for (int i = 0; i < ids.length; i++) {
            advance(before, ids[i], users[i]);
        }
    }

    /** The id of an ended thread is not reused. */
    private void advance(Seen before, long id, long user) {
        Long last = before.users.put(id, user);
        check(last == null || user == -1 || last != -1 && user >= last, "back in phase " + before.phase, id,
                user, last);
    }

    private void check(boolean right, String what, long id, long is, Object was) {
        if (!right && wrong.incrementAndGet() == 1) {
            first = (what + ": id " + id + " answers " + is + ", " + was).replace(' ', '_');
        }
    }
}
