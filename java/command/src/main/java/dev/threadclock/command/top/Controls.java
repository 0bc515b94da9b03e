// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.terminal.TimeSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/** What the keys do, and the visible state that they change. Not thread-safe. */
final class Controls {
    private final String label;
    private final View view;
    private boolean quits;
    private boolean paused;
    private boolean help;
    /** The thread whose frames are shown, wherever its row is by now; null: none. */
    private Use chosen;
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
            case Keys.UP, 'k' -> select(view.selected() - 1);
            case Keys.DOWN, 'j' -> select(view.selected() + 1);
            case Keys.PAGE_UP -> select(view.selected() - page);
            case Keys.PAGE_DOWN -> select(view.selected() + page);
            case Keys.HOME -> select(0);
            case Keys.END -> select(Integer.MAX_VALUE);
            case Keys.ENTER -> choose(chosen == null ? view.selection() : null);
            case Keys.ESCAPE -> {
                choose(null);
                help = false;
            }
            case Keys.CLOSED, 'q' -> quits = true;
            case 'h', '?' -> help = !help;
            case 'p', ' ' -> paused = !paused;
            case 'f' -> view.toggleFrozen();
            case 'g' -> view.toggleGrouped();
            case '/' -> ask(Prompt.FILTER, view.filter());
            case 'd' -> ask(Prompt.DELAY, "");
            case 'r' -> view.reverse();
            case 's' -> view.sortBy(view.sort().next());
            default -> Column.SORTED.stream().filter(column -> column.key() == key).findFirst()
                    .ifPresentOrElse(view::sortBy, () -> message = Optional.of(
                            (key > ' ' ? "'" + (char) key + "'" : "this key")
                                    + " does nothing here; h lists the keys"));
        }
    }

    private void select(int row) {
        view.select(row);
        if (chosen != null) {
            choose(view.selection());
        }
    }

    private void choose(Use thread) {
        chosen = thread;
        if (thread != null) {
            view.follow();
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
            delay = Optional.of(new TimeSpan.BetweenSamples().convert(typed.strip()));
            message = Optional.empty();
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

    /** As {@link View#restart}. */
    void restart() {
        chosen = null;
    }

    /** The thread whose frames are shown. */
    Optional<Use> chosen() {
        return Optional.ofNullable(chosen);
    }

    /** stacks: what is known of the chosen thread. missLoops: as {@link Stacks#missLoops}. */
    Screen.State state(Stacks stacks, boolean missLoops) {
        Optional<String> foot = prompt == Prompt.NONE ? message : Optional.of(prompt.text + typed + "_");
        return new Screen.State(label, paused, help, foot,
                chosen == null ? List.of() : panel(stacks, missLoops));
    }

    private List<String> panel(Stacks stacks, boolean missLoops) {
        boolean lives = view.isListed(chosen);
        String name = chosen.name() + (lives ? "" : " (not in the list now)");
        if (chosen.serial() == 0) {
            return List.of(name + " is a pool or a group and has no frames of its own; g shows threads");
        }
        if (chosen.javaId() == 0) {
            return List.of(name + " is no Java thread, or not known as one, and has no frames");
        }
        List<String> lines = new ArrayList<>();
        if (stacks.size() > 0) {
            lines.add(name + ", of " + stacks.size() + " stacks while it ran, on top and anywhere:");
            if (missLoops) {
                lines.add("(counted loops show as their caller, without -XX:+UseCountedLoopSafepoints)");
            }
            lines.addAll(stacks.methods());
            if (stacks.carryVirtualThreads()) {
                lines.add("(it carries virtual threads, which top shows after 'attach ... virtual=on')");
            }
        } else if (stacks.last().isEmpty()) {
            lines.add(name + (lives ? ": no frames yet" : ""));
        } else {
            lines.add(name + " was not seen running; now at");
            stacks.last().forEach(frame -> lines.add("at " + frame));
        }
        return lines;
    }
}
