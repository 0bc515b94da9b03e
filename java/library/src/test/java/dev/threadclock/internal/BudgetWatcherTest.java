// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The watcher survives whatever happens to it, or says that it does not. */
class BudgetWatcherTest {
    private enum Step {
        LOOK, LOOK_AND_FAIL, IS_IDLE, TAKE_ACTION, ACTION
    }

    private static class Budget extends BudgetWatcher.Watched {
        private final AtomicLong steps = new AtomicLong();
        private final AtomicLong looks = new AtomicLong();
        private volatile Throwable failure;
        private volatile boolean isIdle;

        void at(Step step) {}

        @Override
        protected long look() {
            looks.incrementAndGet();
            at(Step.LOOK);
            at(Step.LOOK_AND_FAIL);
            return 1_000_000;
        }

        @Override
        protected boolean isIdle() {
            steps.incrementAndGet();
            at(Step.IS_IDLE);
            return isIdle;
        }

        @Override
        protected Runnable takeAction() {
            at(Step.TAKE_ACTION);
            return null;
        }

        @Override
        public void fail(Throwable why) {
            failure = why;
            at(Step.LOOK_AND_FAIL);
        }
    }

    private final Budget good = new Budget();
    private final AtomicLong looksWhileOpen = new AtomicLong();

    @AfterEach
    void itEndsWhenThereIsNothingToWatch() throws Exception {
        good.isIdle = true;
        await(() -> watcher() == null);
    }

    private static Thread watcher() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("threadclock-budgets")).findAny().orElse(null);
    }

    private static void await(BooleanSupplier isReached) throws InterruptedException {
        for (int i = 0; !isReached.getAsBoolean(); i++) {
            assertThat(i).as("waited for 30 s").isLessThan(3000);
            Thread.sleep(10);
        }
    }

    private void assertGuarded() throws InterruptedException {
        long looks = good.looks.get();
        await(() -> good.failure != null || good.looks.get() > looks + 2);
    }

    /** Stack, memory, or a class whose initializer once ran out of them. */
    @ParameterizedTest
    @EnumSource
    void errorsOfOneBudgetDoNotEndIt(Step failing) throws Exception {
        AtomicLong errors = new AtomicLong(4);
        Budget bad = new Budget() {
            @Override
            void at(Step step) {
                if (step == failing && errors.getAndDecrement() > 0) {
                    throw failing == Step.LOOK ? new NoClassDefFoundError("a test's")
                            : new OutOfMemoryError("a test's");
                }
            }

            @Override
            protected Runnable takeAction() {
                super.takeAction();
                return failing != Step.ACTION || errors.get() <= 0 ? null : () -> at(Step.ACTION);
            }
        };
        good.watch();
        bad.watch();
        // A step more, except of an action, of which there is none then: it has dealt with the last one.
        await(() -> errors.get() < (failing == Step.ACTION ? 1 : 0));
        assertGuarded();
        assertThat(watcher()).isNotNull();
        if (failing != Step.IS_IDLE && failing != Step.TAKE_ACTION) { // these are ours, and cannot
            assertThat(good.failure).isNull();
        }
        good.failure = null;
        assertGuarded();
        assertThat(good.failure).isNull();
        assertThat(failing == Step.ACTION || bad.failure != null).isTrue();
        bad.isIdle = true;
    }

    @Test
    void anActionThatBlocksKeepsNoOtherBudgetUnwatched() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch isBlocked = new CountDownLatch(3);
        Budget blocking = new Budget() {
            private int actions = 3;

            @Override
            protected Runnable takeAction() {
                return actions-- <= 0 ? null : () -> {
                    isBlocked.countDown();
                    try {
                        isOver.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                };
            }
        };
        good.watch();
        blocking.watch();
        isBlocked.await();
        assertGuarded();
        assertThat(good.failure).isNull();
        blocking.isIdle = true;
        isOver.countDown();
    }

    /** In the moment in which the watcher takes it from its list, because it was idle: it asks once more. */
    @Test
    void aBudgetThatIsOpenedWhileItIsRemovedIsWatched() throws Exception {
        Budget opened = new Budget() {
            private int asked; // since the last look
            private boolean isOpen;

            @Override
            protected long look() {
                asked = 0;
                super.look();
                return 0;
            }

            @Override
            protected boolean isIdle() {
                isOpen |= ++asked == 2;
                return super.isIdle() || !isOpen;
            }

            @Override
            void at(Step step) {
                if (step == Step.LOOK && isOpen) {
                    looksWhileOpen.incrementAndGet();
                }
            }
        };
        opened.watch();
        await(() -> looksWhileOpen.get() > 2);
        opened.isIdle = true;
    }

    @Test
    void anInterruptDoesNotKeepItAwake() throws Exception {
        Budget seldom = new Budget() {
            @Override
            protected long look() {
                super.look();
                return 100_000_000;
            }
        };
        seldom.watch();
        await(() -> seldom.looks.get() > 0);
        watcher().interrupt();
        long steps = seldom.steps.get();
        Thread.sleep(300);
        assertThat(seldom.steps.get() - steps).isLessThan(1000);
        seldom.isIdle = true;
    }

    /** Of its own code, after which it does not get as far as the others. */
    @Test
    void whenItCannotGoOnAllBudgetsFail() throws Exception {
        Budget bad = new Budget() {
            @Override
            void at(Step step) {
                if (step == Step.IS_IDLE && good.failure == null) {
                    throw new OutOfMemoryError("a test's");
                }
            }
        };
        good.watch();
        bad.watch(); // the first in the list
        await(() -> good.failure != null);
        bad.isIdle = true;
    }

    /** Between two passes, where nothing is caught; there is no other budget that could find out. */
    @Test
    void whenItDiesItReplacesItself() throws Exception {
        assumeTrue(Runtime.version().feature() < 20, "Thread.stop() exists no more");
        Budget restless = new Budget() {
            @Override
            protected long look() {
                return 0;
            }
        };
        good.watch();
        restless.watch();
        await(() -> good.looks.get() > 0); // it runs, and can replace itself
        Thread dying = watcher();
        while (dying.isAlive()) { // one at a time: a second one could strike while it replaces itself
            good.failure = restless.failure = null;
            stop(dying);
            await(() -> !dying.isAlive() || good.failure != null || restless.failure != null);
            long looks = good.looks.get(); // a few more: it has dealt with the error
            await(() -> !dying.isAlive() || good.looks.get() > looks + 2);
        }
        good.failure = null;
        assertGuarded();
        restless.isIdle = true;
    }

    /** Throws an error in the thread, wherever it is. */
    private static void stop(Thread thread) {
        try {
            Thread.class.getMethod("stop").invoke(thread);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Asynchronous, so it also strikes where nothing is caught. */
    @Test
    void onceItHasDiedItIsReplaced() throws Exception {
        assumeTrue(Runtime.version().feature() < 20, "Thread.stop() exists no more");
        good.watch();
        for (int i = 0; i < 200; i++) {
            Thread thread = watcher();
            if (thread != null) {
                stop(thread);
            }
        }
        long looks = good.looks.get();
        await(() -> watcher() == null || good.looks.get() > looks + 2); // the last error has struck
        Budget next = new Budget(); // finds out, if an error struck the one that replaced itself
        next.isIdle = true;
        next.watch();
        for (int i = 0; i < 2; i++) { // the last error may strike only now, in a look
            good.failure = null;
            assertGuarded();
        }
        assertThat(good.failure).isNull();
    }
}
