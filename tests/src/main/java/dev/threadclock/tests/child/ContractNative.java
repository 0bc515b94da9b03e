// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.ContractIds.userTimes;
import static dev.threadclock.tests.child.Transcript.THREADS;
import static dev.threadclock.tests.child.Transcript.line;
import static dev.threadclock.tests.child.Transcript.own;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Part of the contract: native threads that attach and detach, and threads that another agent creates. */
final class ContractNative {
    static void run(String library) {
        if (!Helper.load(library)) {
            line("native threads", "no helper library");
            return;
        }
        attachOften(false);
        attachOften(true);
        attachedIsReadByAnother();
        manyAtOnce();
        Thread early = Helper.agentThread(true);
        Thread late = Helper.agentThread(false);
        Transcript.pause(30);
        agentThread("early thread of another agent", early);
        agentThread("thread of another agent", late);
        Helper.release();
        for (Thread thread : new Thread[]{early, late}) {
            if (thread != null) {
                Transcript.join(thread);
                line("\"" + thread.getName() + "\" after its end", THREADS.getThreadUserTime(thread.getId()));
            }
        }
    }

    /** At each attach a native thread is a new Java thread, but its clock is the kernel's and continues. */
    private static void attachOften(boolean daemon) {
        List<Long> ids = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        boolean well = Helper.attached(() -> {
            ids.add(own());
            answers.add(Transcript.burnt(THREADS.getCurrentThreadUserTime()) + ", "
                    + Transcript.burnt(THREADS.getThreadUserTime(own())) + ", "
                    + Transcript.burnt(userTimes(1, own())[1]));
        }, 5, 60, daemon);
        String title = daemon ? "native thread attached as daemon" : "native thread attached";
        line(title, well + ", " + answers);
        line(title + ", ids", new HashSet<>(ids).size() + " different");
        List<Long> after = new ArrayList<>();
        for (long id : ids) {
            after.add(THREADS.getThreadUserTime(id));
        }
        line(title + ", after its end", after);
    }

    private static void attachedIsReadByAnother() {
        long[] id = new long[1];
        String[] answer = new String[2];
        CountDownLatch attached = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Thread reader = new Thread(() -> {
            Transcript.await(attached);
            Transcript.pause(30);
            answer[0] = Transcript.burnt(THREADS.getThreadUserTime(id[0]));
            answer[1] = Transcript.burnt(userTimes(own(), id[0])[1]);
            asked.countDown();
        });
        reader.start();
        Helper.attached(() -> {
            id[0] = own();
            attached.countDown();
            Transcript.await(asked);
        }, 1, 60, true);
        Transcript.join(reader);
        line("attached thread read by another",
                answer[0] + ", " + answer[1] + ", detached " + THREADS.getThreadUserTime(id[0]));
    }

    /** Four native threads attach and detach 250 times each, with valid times only while attached. */
    private static void manyAtOnce() {
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        Thread[] starters = new Thread[4];
        for (int i = 0; i < starters.length; i++) {
            starters[i] = new Thread(() -> {
                long[] last = {-1};
                Helper.attached(() -> {
                    if (last[0] > 0 && THREADS.getThreadUserTime(last[0]) != -1) {
                        wrong.add("a detached one answers");
                    }
                    last[0] = own();
                    if (THREADS.getThreadUserTime(own()) < 0 || userTimes(own(), own())[1] < 0) {
                        wrong.add("an attached one does not answer");
                    }
                }, 250, 0, true);
            });
            starters[i].start();
        }
        for (Thread starter : starters) {
            Transcript.join(starter);
        }
        line("a thousand attachments", wrong.isEmpty() ? "each in order" : wrong.get(0));
    }

    private static void agentThread(String title, Thread thread) {
        line(title,
                thread == null ? "none" : Transcript.burnt(THREADS.getThreadUserTime(thread.getId())) + ", "
                        + Transcript.burnt(userTimes(own(), thread.getId())[1]));
    }
}
