// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.terminal.Shutdown;
import dev.threadclock.terminal.Style;
import dev.threadclock.watch.sample.Sampling;
import dev.threadclock.watch.top.Keys.Key;
import dev.threadclock.watch.top.Keys.Press;
import java.io.IOError;
import java.io.IOException;
import java.nio.charset.Charset;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.exec.ExecTerminalProvider;
import org.jline.terminal.spi.SystemStream;

/**
 * The terminal while top is displayed. It is redrawn at each interval, at each key and when its size changes.
 * It must be created before the process switches to another user, which may not open the terminal.
 */
final class LiveScreen implements AutoCloseable {
    private static final long KEY_MILLIS = 100;
    private static final int FRAMES = 10;
    /**
     * The terminal type for JLine, which runs infocmp for types that it does not know. Every terminal
     * understands the sequences that are sent here.
     */
    private static final String TYPE = "xterm";
    /** Enters the alternate screen and hides the cursor (xterm's ctlseqs). */
    private static final String ENTER = "\033[?1049h\033[?25l\033[H";
    private static final String LEAVE = "\033[?25h\033[?1049l";

    private final dev.threadclock.terminal.Terminal out = dev.threadclock.terminal.Terminal.stdout();
    private final Terminal terminal;
    private final View view;
    private final Screen screen = new Screen(new Style(out.coloured()), ZoneId.systemDefault(),
            Runtime.getRuntime().availableProcessors());
    private final Runnable restore = this::restore;
    private final Attributes before;
    private volatile boolean interrupted;
    private volatile boolean resized = true;

    LiveScreen(View view) throws IOException {
        this.view = view;
        terminal = new ExecTerminalProvider().posixSysTerminal("threadclock", TYPE, false,
                Charset.defaultCharset(), true,
                Terminal.SignalHandler.SIG_DFL, false, SystemStream.Output);
        before = terminal.getAttributes();
        Shutdown.add(restore);
    }

    /** Runs until the user quits or the limit is reached. False if the JVM has ended. */
    boolean show(Sampling sampling, Limit limit) throws IOException {
        enter();
        out.print("threadclock top  " + sampling.label() + ": the first interval...");
        Feed feed = new Feed(sampling);
        Controls controls = new Controls(sampling.label(), view);
        Keys keys = new Keys(terminal.reader());
        Size size = terminal.getSize();
        Moment moment = null;
        List<String> frames = List.of();
        while (!interrupted && !controls.quits() && !limit.isReached()) {
            if (feed.isOver()) {
                return false;
            }
            Press press = keys.read(KEY_MILLIS);
            controls.take(press, size.getRows());
            Optional<Moment> newest = controls.paused() ? Optional.empty() : feed.newest();
            boolean changed = press.key() != Key.NONE || newest.isPresent() || resized
                    || !frames.equals(sampling.stack(controls.stackOf()));
            if (resized) {
                resized = false;
                size = terminal.getSize();
            }
            if (newest.isPresent()) {
                moment = newest.get();
                limit.count(moment.interval());
            }
            if (changed && moment != null) {
                view.update(moment.interval());
                frames = sampling.stack(controls.stackOf());
                draw(screen.draw(moment, view, controls.state(frames), size.getColumns(), size.getRows()));
            }
            if ((newest.isPresent() || press.key() != Key.NONE) && controls.stackOf() != 0) {
                sampling.askForStack(controls.stackOf(), FRAMES);
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
        terminal.handle(Terminal.Signal.INT, signal -> interrupted = true);
        terminal.handle(Terminal.Signal.WINCH, signal -> resized = true);
        terminal.enterRawMode();
        terminal.handle(Terminal.Signal.CONT, signal -> {
            terminal.enterRawMode();
            out.print(ENTER);
            resized = true;
        });
        out.print(ENTER);
    }

    /** Restores the terminal to its original state. Must be the last call. */
    private void restore() {
        out.print(LEAVE);
        try {
            terminal.setAttributes(before);
        } catch (IOError e) {
            dev.threadclock.terminal.Terminal.stderr()
                    .println("the terminal could not be restored: " + e.getCause().getMessage()
                            + "; 'stty sane' restores it");
        }
    }

    @Override
    public void close() throws IOException {
        Shutdown.remove(restore);
        restore();
        terminal.close();
    }
}
