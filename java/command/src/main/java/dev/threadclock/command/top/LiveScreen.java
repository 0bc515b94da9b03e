// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.attach.JvmOption;
import dev.threadclock.command.terminal.Keyboard;
import dev.threadclock.command.terminal.Shutdown;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling;
import dev.threadclock.command.sample.Sampling.Frames;
import dev.threadclock.command.top.TopCommand.Limit;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jline.utils.Signals;

/**
 * The terminal while top is displayed. It is redrawn at each interval, at each key and when its size changes.
 */
final class LiveScreen implements AutoCloseable {
    private static final long KEY_MILLIS = 100;
    /** While frames are shown: how often to look whether the thread is runnable. */
    private static final long LOOK_MILLIS = 20;
    /** Enters the alternate screen and hides the cursor (xterm's ctlseqs). */
    private static final String ENTER = "\033[?1049h\033[?25l\033[H";
    private static final String LEAVE = "\033[?25h\033[?1049l";

    private final Terminal out = Terminal.stdout();
    private final Keyboard keyboard = new Keyboard();
    private final View view;
    private final Screen screen = new Screen(new Style(out.coloured()), ZoneId.systemDefault(),
            Runtime.getRuntime().availableProcessors());
    private final Runnable restore = this::restore;
    private final Map<String, Object> handlers = new HashMap<>();
    private volatile boolean interrupted;
    private volatile boolean resized = true;

    LiveScreen(View view) throws IOException {
        this.view = view;
        Shutdown.add(restore);
    }

    /** Receives the intervals in a separate thread, so that keys are handled meanwhile. */
    static final class Feed {
        private final AtomicReference<Iteration> newest = new AtomicReference<>();
        private volatile boolean over;
        private volatile Throwable failure;

        /** The thread ends when the sampling ends. */
        Feed(Sampling sampling) {
            Thread reader = new Thread(() -> read(sampling), "samples");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(Sampling sampling) {
            try {
                Iteration.Reader iterations = new Iteration.Reader(sampling);
                for (Optional<Iteration> next = iterations.next(); next
                        .isPresent(); next = iterations.next()) {
                    newest.set(next.get());
                }
            } catch (Throwable e) { // the JVM's data may be invalid, or too large for the heap
                failure = e;
            }
            over = true;
        }

        /** The newest iteration; empty if it has been taken before. */
        Optional<Iteration> newest() {
            return Optional.ofNullable(newest.getAndSet(null));
        }

        boolean isOver() throws IOException {
            boolean isOver = over; // first: a failure is stored before it
            Throwable why = failure;
            if (why instanceof IOException e) {
                throw e;
            }
            if (why instanceof RuntimeException e) {
                throw e;
            }
            if (why instanceof Error e) {
                throw e;
            }
            return isOver;
        }
    }

    /**
     * Runs until the user quits or the limit is reached. False if the JVM has ended.
     *
     * @param first is closed at the end
     * @param jvm the same, to be sampled at another pace
     */
    boolean show(Sampling first, JvmOption.Chosen jvm, Limit limit) throws IOException {
        enter();
        out.print("threadclock top  " + first.label() + ": the first interval...");
        Controls controls = new Controls(first.label(), view);
        boolean lives = true;
        for (Optional<Sampling> next = Optional.of(first); next.isPresent();) {
            try (Sampling sampling = next.get()) {
                lives = show(sampling, controls, limit);
            }
            Optional<Duration> asked = controls.newDelay();
            next = asked.isPresent() ? Optional.of(Sampling.open(jvm, asked.get())) : Optional.empty();
            view.restart();
            controls.restart();
        }
        return lives;
    }

    /** Until the user asks for another pace as well. */
    private boolean show(Sampling sampling, Controls controls, Limit limit) throws IOException {
        Feed feed = new Feed(sampling);
        Keys keys = new Keys(keyboard::read);
        int rows = out.height();
        int columns = out.width();
        Iteration iteration = null;
        Optional<Use> shown = Optional.empty(); // the thread whose frames are shown
        Stacks stacks = new Stacks();
        Frames frames = Frames.NONE;
        while (!interrupted && !controls.quits() && !controls.asksForDelay() && !limit.isReached()) {
            if (feed.isOver()) {
                return false;
            }
            int key = keys.read(shown.isPresent() ? LOOK_MILLIS : KEY_MILLIS);
            controls.take(key, rows);
            if (!controls.chosen().map(Use::key).equals(shown.map(Use::key))) {
                stacks = new Stacks();
            }
            shown = controls.chosen();
            Frames answer = shown.map(use -> sampling.stack(use.javaId())).orElse(Frames.NONE);
            boolean answered = answer != frames && answer != Frames.NONE; // each answer is a new object
            if (answered) {
                frames = answer;
                stacks.add(answer);
            }
            Optional<Iteration> newest = controls.paused() ? Optional.empty() : feed.newest();
            boolean changed = key != Keys.NONE || newest.isPresent() || resized || answered;
            if (resized) {
                resized = false;
                rows = out.height();
                columns = out.width();
            }
            if (newest.isPresent()) {
                iteration = newest.get();
                limit.count(iteration.interval());
            }
            if (changed && iteration != null) {
                view.update(iteration.interval());
                boolean missLoops = Stacks.missLoops(sampling.subject().jdk(), iteration.interval());
                draw(screen.draw(iteration, view, controls.state(stacks, missLoops), columns, rows));
            }
            if (shown.isPresent() && shown.get().javaId() != 0 && (sampling.isRunnable(shown.get().tid())
                    || stacks.size() == 0 && (newest.isPresent() || key != Keys.NONE))) {
                sampling.askForStack(shown.get().javaId(), Stacks.MOST_FRAMES);
            }
        }
        return true;
    }

    /**
     * Draws one line per screen row. Each row is erased before, not after: erasing after a full line would
     * delete its last character (xterm's ctlseqs, EL).
     */
    private void draw(List<String> lines) {
        out.print("\033[H\033[K" + String.join("\r\n\033[K", lines));
    }

    private void enter() {
        handle("INT", () -> interrupted = true);
        handle("WINCH", () -> resized = true);
        handle("CONT", () -> {
            keyboard.enterRawMode();
            out.print(ENTER);
            resized = true;
        });
        keyboard.enterRawMode();
        out.print(ENTER);
    }

    private void handle(String signal, Runnable action) {
        handlers.put(signal, Signals.register(signal, action));
    }

    /** Restores the terminal to its original state. Must be the last call. */
    private void restore() {
        out.print(LEAVE);
        if (!keyboard.restore()) {
            Terminal.stderr().println("the terminal could not be restored; 'stty sane' restores it");
        }
    }

    @Override
    public void close() {
        Shutdown.remove(restore);
        handlers.forEach(Signals::unregister);
        restore();
    }
}
