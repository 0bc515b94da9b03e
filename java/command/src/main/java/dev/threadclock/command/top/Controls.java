// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.sample.Sampling.Frames;
import dev.threadclock.command.terminal.TimeSpan;
import dev.threadclock.command.top.Keys.Key;
import dev.threadclock.command.top.Keys.Press;
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

    /** page: the number of rows on the screen. */
    void take(Press press, int page) {
        if (press.key() != Key.NONE) {
            message = Optional.empty();
        }
        if (prompt != Prompt.NONE) {
            type(press);
            return;
        }
        switch (press.key()) {
            case UP -> view.select(view.selected() - 1);
            case DOWN -> view.select(view.selected() + 1);
            case PAGE_UP -> view.select(view.selected() - page);
            case PAGE_DOWN -> view.select(view.selected() + page);
            case HOME -> view.select(0);
            case END -> view.select(Integer.MAX_VALUE);
            case ENTER -> stackShown = !stackShown;
            case ESCAPE -> stackShown = help = false;
            case CLOSED -> quits = true;
            case CHARACTER -> take(press.character());
            case OTHER -> unknown("this key");
            default -> {
            }
        }
    }

    private void unknown(String key) {
        message = Optional.of(key + " does nothing here; h lists the keys");
    }

    private void take(char key) {
        switch (key) {
            case 'q' -> quits = true;
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
            case 'k' -> view.select(view.selected() - 1);
            case 'j' -> view.select(view.selected() + 1);
            default -> unknown("'" + key + "'");
        }
    }

    private void ask(Prompt what, String text) {
        prompt = what;
        typed = text;
    }

    private void type(Press press) {
        switch (press.key()) {
            case CHARACTER -> typed += press.character();
            case ERASE -> typed = typed.substring(0, Math.max(0, typed.length() - 1));
            case ENTER -> {
                enter();
                prompt = Prompt.NONE;
            }
            case ESCAPE -> prompt = Prompt.NONE;
            case CLOSED -> quits = true;
            default -> {
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
