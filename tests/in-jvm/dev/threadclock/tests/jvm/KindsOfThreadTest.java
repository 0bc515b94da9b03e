// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.own;
import static dev.threadclock.tests.jvm.ContractTest.users;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Helper;
import dev.threadclock.tests.child.Threads;
import dev.threadclock.tests.child.Threads.Maker;
import dev.threadclock.tests.child.Threads.Worker;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each kind of thread has its time, read by itself and by another thread, and after its end none. */
@Tag("plain")
@Tag("agentpath")
@Tag("now")
@Tag("javaagent")
class KindsOfThreadTest {
    private static final long LONGEST_END_NANOS = 10_000_000_000L;

    private static void assertReadByAll(Maker maker) {
        long[] itself = new long[2];
        Worker worker = new Worker() {
            @Override
            protected void work() {
                itself[0] = THREADS.getCurrentThreadUserTime();
                itself[1] = THREADS.getThreadUserTime(own());
            }
        };
        worker.start(maker);
        Jvm.assertBurnt(itself);
        Jvm.assertBurnt(THREADS.getThreadUserTime(worker.id()), users(own(), worker.id())[1]);
        worker.end();
        assertThat(THREADS.getThreadUserTime(worker.id())).isEqualTo(-1);
    }

    @Test
    void plainOnesDaemonsAndThoseOfAGroup() {
        assertReadByAll(Thread::new);
        assertReadByAll(run -> {
            Thread thread = new Thread(run, "daemon");
            thread.setDaemon(true);
            return thread;
        });
        assertReadByAll(run -> new Thread(new ThreadGroup("group"), run, "grouped"));
    }

    @Test
    void withALongNameOrALargeStack() {
        assertReadByAll(run -> new Thread(run, new String(new char[5000]).replace('\0', ')')));
        assertReadByAll(run -> new Thread(null, run, "large", 4 << 20));
    }

    @Test
    void oneThatStartsAnother() {
        assertReadByAll(run -> new Thread(() -> {
            Thread inner = new Thread(run);
            inner.start();
            run.run();
            Threads.join(inner);
        }));
    }

    /** A subclass of Thread that another class loader loads. */
    public static final class StrangeThread extends Thread {
        public StrangeThread(Runnable run) {
            super(run);
        }
    }

    /** The thread's class and its Runnable are of a class loader that is closed while the thread runs. */
    @Test
    void oneOfAnotherClassLoader() throws Exception {
        File classes = new File(getClass().getProtectionDomain().getCodeSource().getLocation().toURI());
        URLClassLoader loader = new URLClassLoader(new URL[]{classes.toURI().toURL()}, null);
        Class<?> type = loader.loadClass(StrangeThread.class.getName());
        assertThat(type).isNotEqualTo(StrangeThread.class);
        assertReadByAll(run -> {
            try {
                Thread thread = (Thread) type.getConstructor(Runnable.class).newInstance(run);
                thread.setContextClassLoader(loader);
                loader.close();
                return thread;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void oneOfAPool() {
        ForkJoinPool pool = new ForkJoinPool(1);
        long[] id = new long[1];
        Worker worker = new Worker() {
            @Override
            protected void work() {
                id[0] = own();
            }
        };
        pool.execute(worker);
        worker.awaitBurnt();
        Jvm.assertBurnt(THREADS.getThreadUserTime(id[0]));
        worker.mayEnd();
        pool.shutdown();
    }

    /** They started before any agent could see them. */
    @Test
    void theJvmsOwn() throws Exception {
        assertThat(Threads.idOf("main")).isEqualTo(Jvm.FEATURE >= 25 ? 3 : 1);
        for (String name : new String[]{"Reference Handler", "Finalizer", "Signal Dispatcher", "main"}) {
            long id = Threads.idOf(name);
            assertThat(THREADS.getThreadUserTime(id)).as(name).isNotNegative();
            FutureTask<long[]> read = new FutureTask<>(() -> users(own(), id));
            new Thread(read).start();
            Jvm.assertTimes(2, read.get());
        }
    }

    @Test
    void allIds() {
        long[] ids = THREADS.getAllThreadIds();
        long[] times = users(ids);
        assertThat(ids).hasSizeGreaterThanOrEqualTo(4);
        for (int i = 0; i < ids.length; i++) {
            assertThat(times[i] >= 0 || ends(ids[i])).as("a live thread has %s", times[i]).isTrue();
        }
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

    /** At each attach a native thread is a new Java thread, but its clock is the kernel's and continues. */
    @Test
    void aNativeOneThatAttachesOften() {
        Jvm.assumeHelper();
        for (boolean daemon : new boolean[]{false, true}) {
            List<Long> ids = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            assertThat(Helper.attached(() -> {
                ids.add(own());
                times.add(THREADS.getCurrentThreadUserTime());
                times.add(THREADS.getThreadUserTime(own()));
                times.add(users(1, own())[1]);
            }, 5, 60, daemon)).isTrue();
            assertThat(times).hasSize(15);
            times.forEach(time -> Jvm.assertBurnt(time));
            assertThat(new HashSet<>(ids)).hasSize(5);
            assertThat(ids).allSatisfy(id -> assertThat(THREADS.getThreadUserTime(id)).isEqualTo(-1));
        }
    }

    @Test
    void aNativeOneThatIsReadByAnother() throws Exception {
        Jvm.assumeHelper();
        long[] id = new long[1];
        CountDownLatch attached = new CountDownLatch(1);
        FutureTask<long[]> reader = new FutureTask<>(() -> {
            attached.await();
            Threads.pause(30);
            return new long[]{THREADS.getThreadUserTime(id[0]), users(own(), id[0])[1]};
        });
        new Thread(reader).start();
        Helper.attached(() -> {
            id[0] = own();
            attached.countDown();
            try {
                reader.get();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, 1, 60, true);
        Jvm.assertBurnt(reader.get());
        assertThat(THREADS.getThreadUserTime(id[0])).as("detached").isEqualTo(-1);
    }

    @Test
    void fourNativeOnesThatAttachAThousandTimes() {
        Jvm.assumeHelper();
        AtomicReference<String> wrong = new AtomicReference<>();
        Thread[] starters = new Thread[4];
        for (int i = 0; i < starters.length; i++) {
            starters[i] = new Thread(() -> {
                long[] last = {-1};
                Helper.attached(() -> {
                    if (last[0] > 0 && THREADS.getThreadUserTime(last[0]) != -1) {
                        wrong.set("a detached one answers");
                    }
                    last[0] = own();
                    if (THREADS.getThreadUserTime(own()) < 0 || users(own(), own())[1] < 0) {
                        wrong.set("an attached one does not answer");
                    }
                }, 250, 0, true);
            });
            starters[i].start();
        }
        for (Thread starter : starters) {
            Threads.join(starter);
        }
        assertThat(wrong).hasValue(null);
    }

    /** From before main, and new. */
    @Test
    void thoseOfAnotherAgent() {
        Jvm.assumeHelper();
        Thread[] threads = {Helper.agentThread(true), Helper.agentThread(false)};
        Threads.pause(30);
        for (Thread thread : threads) {
            assertThat(thread).isNotNull();
            long id = id(thread);
            Jvm.assertBurnt(THREADS.getThreadUserTime(id), users(own(), id)[1]);
        }
        Helper.release();
        for (Thread thread : threads) {
            Threads.join(thread);
            assertThat(THREADS.getThreadUserTime(id(thread))).as(thread.getName()).isEqualTo(-1);
        }
    }

    @SuppressWarnings("deprecation")
    private static long id(Thread thread) {
        return thread.getId();
    }
}
