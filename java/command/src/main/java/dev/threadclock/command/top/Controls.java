// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.sample.Sampling.Frames;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.top.View.SortKey;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/** What the keys do, and the visible state that they change. Not thread-safe. */
final class Controls {
    private final String label;
    private final View view;
    private boolean quits;
    private boolean paused;
    private boolean help;
    private boolean stackShown;
    private Prompt prompt = Prompt.NONE;
    private String typed = "";
    private Optional<String> message = Optional.empty();
    private Optional<Duration> delay = Optional.empty();

    /** What the user is typing. */
    private enum Prompt {
        NONE(""),
        FILTER("show only names that contain: "),
        DELAY("time between samples, such as 500ms or 2s: ");

        private final String text;

        Prompt(String text) {
            this.text = text;
        }
    }

    /** label: identifies the JVM to the user. */
    Controls(String label, View view) {
        this.label = label;
        this.view = view;
    }

    /** key: one of {@link Keys}. page: the number of rows on the screen. */
    void take(int key, int page) {
        if (key == Keys.NONE) {
            return;
        }
        message = Optional.empty();
        if (prompt != Prompt.NONE) {
            type(key);
            return;
        }
        switch (key) {
            case Keys.UP, 'k' -> view.select(view.selected() - 1);
            case Keys.DOWN, 'j' -> view.select(view.selected() + 1);
            case Keys.PAGE_UP -> view.select(view.selected() - page);
            case Keys.PAGE_DOWN -> view.select(view.selected() + page);
            case Keys.HOME -> view.select(0);
            case Keys.END -> view.select(Integer.MAX_VALUE);
            case Keys.ENTER -> stackShown = !stackShown;
            case Keys.ESCAPE -> stackShown = help = false;
            case Keys.CLOSED, 'q' -> quits = true;
            case 'h', '?' -> help = !help;
            case 'p', ' ' -> paused = !paused;
            case 'f' -> view.toggleFrozen();
            case 'g' -> view.toggleGrouped();
            case '/' -> ask(Prompt.FILTER, view.filter());
            case 'd' -> ask(Prompt.DELAY, "");
            case 'r' -> view.reverse();
            case 's' -> view.sortBy(view.sort().next());
            case 't' -> view.sortBy(SortKey.TOTAL);
            case 'u' -> view.sortBy(SortKey.USER);
            case 'y' -> view.sortBy(SortKey.SYSTEM);
            case 'w' -> view.sortBy(SortKey.WAIT);
            case 'm' -> view.sortBy(SortKey.TIME);
            case 'n' -> view.sortBy(SortKey.NAME);
            default -> message = Optional.of((key > ' ' ? "'" + (char) key + "'" : "this key")
                    + " does nothing here; h lists the keys");
        }
    }

    private void ask(Prompt what, String text) {
        prompt = what;
        typed = text;
    }

    private void type(int key) {
        switch (key) {
            case Keys.ERASE -> typed = typed.substring(0, Math.max(0, typed.length() - 1));
            case Keys.ENTER -> {
                enter();
                prompt = Prompt.NONE;
            }
            case Keys.ESCAPE -> prompt = Prompt.NONE;
            case Keys.CLOSED -> quits = true;
            default -> {
                if (key >= ' ') {
                    typed += (char) key;
                }
            }
        }
    }

    private void enter() {
        if (prompt == Prompt.FILTER) {
            view.filterBy(typed);
            return;
        }
        try {
            Duration asked = new TimeSpan().convert(typed.strip());
            delay = Optional.of(asked).filter(TopCommand::isDelay);
            message = delay.isPresent() ? Optional.empty() : Optional.of(TopCommand.DELAYS);
        } catch (TypeConversionException e) {
            message = Optional.of(e.getMessage());
        }
    }

    boolean asksForDelay() {
        return delay.isPresent();
    }

    /** The time between samples that the user has asked for since the last call. */
    Optional<Duration> newDelay() {
        Optional<Duration> asked = delay;
        delay = Optional.empty();
        return asked;
    }

    boolean quits() {
        return quits;
    }

    boolean paused() {
        return paused;
    }

    /** The id of the Java thread whose frames are requested; 0 if there is none. */
    long stackOf() {
        return stackShown && view.selection() != null ? view.selection().javaId() : 0;
    }

    /** frames: the frames that were received last. */
    Screen.State state(Frames frames) {
        Optional<Frames> stack = stackShown ? Optional.of(stackOf() == 0 ? Frames.NONE : frames)
                : Optional.empty();
        Optional<String> foot = prompt == Prompt.NONE ? message : Optional.of(prompt.text + typed + "_");
        return new Screen.State(label, paused, help, foot, stack);
    }
}
