// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.ContractIds.userTimes;
import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.line;
import static dev.threadclock.tests.child.Transcript.own;
import static dev.threadclock.tests.child.Transcript.say;

import dev.threadclock.tests.child.Transcript.ThreadMaker;
import dev.threadclock.tests.child.Transcript.Worker;
import java.io.File;
import java.lang.management.ThreadInfo;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;

/** Part of the contract: each kind of thread, read by another thread, by itself, and after its end. */
final class ContractThreads {
    private static final long LONGEST_END_NANOS = 10_000_000_000L;

    static void run() throws Exception {
        line("main's id", own());
        kind("plain thread", run -> new Thread(run));
        kind("daemon", run -> {
            Thread thread = new Thread(run, "daemon");
            thread.setDaemon(true);
            return thread;
        });
        kind("thread in a group", run -> new Thread(new ThreadGroup("group"), run, "grouped"));
        kind("thread with a name of 5,000 characters",
                run -> new Thread(run, new String(new char[5000]).replace('\0', ')')));
        kind("thread with a large stack", run -> new Thread(null, run, "large", 4 << 20));
        kind("thread that starts a thread", run -> new Thread(() -> {
            Thread inner = new Thread(run);
            inner.start();
            run.run();
            Transcript.join(inner);
        }));
        otherClassLoader();
        ForkJoinPool pool = new ForkJoinPool(1);
        Worker worker = new Worker();
        pool.execute(worker);
        worker.awaitBurnt();
        line("thread of a pool", Transcript.burnt(THREADS.getThreadUserTime(idOf("ForkJoinPool"))));
        worker.mayEnd();
        pool.shutdown();
        jvmsOwn();
        say("all ids", ContractThreads::allIds);
    }

    private static String allIds() {
        long[] ids = THREADS.getAllThreadIds();
        long[] times = userTimes(ids);
        for (int i = 0; i < ids.length; i++) {
            if (times[i] < 0 && !ends(ids[i])) {
                return "one that is alive is " + times[i];
            }
        }
        return ids.length >= 4 ? "each is a time" : ids.length + " only";
    }

    /**
     * HotSpot lists a thread slightly longer than it lives for agents: from JVMTI's ThreadEnd event until it
     * is marked as exiting (JavaThread::exit).
     */
    private static boolean ends(long id) {
        boolean listed = true;
        for (long began = System.nanoTime(); listed && System.nanoTime() - began < LONGEST_END_NANOS;) {
            Thread.yield();
            listed = Arrays.stream(THREADS.getAllThreadIds()).anyMatch(each -> each == id);
        }
        return !listed;
    }

    private static void kind(String name, ThreadMaker maker) {
        String[] self = new String[2];
        Worker worker = new Worker() {
            @Override
            void work() {
                self[0] = Transcript.burnt(THREADS.getCurrentThreadUserTime());
                self[1] = Transcript.burnt(THREADS.getThreadUserTime(own()));
            }
        };
        worker.start(maker);
        long id = worker.id();
        String other = Transcript.burnt(THREADS.getThreadUserTime(id)) + ", "
                + Transcript.burnt(userTimes(own(), id)[1]);
        worker.end();
        line(name, "itself " + self[0] + ", " + self[1] + ", by id " + other + ", ended "
                + THREADS.getThreadUserTime(id));
    }

    /** The thread's class and its Runnable are of a class loader that is closed while the thread runs. */
    private static void otherClassLoader() throws Exception {
        File classes = new File(
                ContractThreads.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        URLClassLoader loader = new URLClassLoader(new URL[]{classes.toURI().toURL()}, null);
        Class<?> type = loader.loadClass(StrangeThread.class.getName());
        kind("thread of another class loader", run -> {
            try {
                Thread thread = (Thread) type.getConstructor(Runnable.class).newInstance(run);
                thread.setContextClassLoader(loader);
                loader.close();
                return thread;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        line("its class is another", type != StrangeThread.class);
    }

    /** A subclass of Thread that another class loader loads. */
    public static final class StrangeThread extends Thread {
        public StrangeThread(Runnable run) {
            super(run);
        }
    }

    /** The JVM's own threads, which started before any agent could see them. */
    private static void jvmsOwn() throws ExecutionException, InterruptedException {
        for (String name : new String[]{"Reference Handler", "Finalizer", "Signal Dispatcher", "main"}) {
            long id = idOf(name);
            say("thread \"" + name + "\"", () -> THREADS.getThreadUserTime(id));
            FutureTask<String> read = new FutureTask<>(() -> Transcript.answer(() -> userTimes(own(), id)));
            new Thread(read).start();
            line("thread \"" + name + "\" read by another", read.get());
        }
    }

    /** The id of the first thread whose name begins with this. */
    static long idOf(String name) {
        for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
            if (thread.getThreadName().startsWith(name)) {
                return thread.getThreadId();
            }
        }
        throw new IllegalStateException("no thread " + name);
    }
}
