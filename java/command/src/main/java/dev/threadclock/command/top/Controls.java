// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.top.Keys.Press;
import java.util.List;
import java.util.Optional;

/** What the keys do, and the visible state that they change. Not thread-safe. */
final class Controls {
    private final String label;
    private final View view;
    private boolean quits;
    private boolean paused;
    private boolean help;
    private boolean stackShown;
    private Optional<String> typed = Optional.empty();

    /** label: identifies the JVM to the user. */
    Controls(String label, View view) {
        this.label = label;
        this.view = view;
    }

    /** page: the number of rows on the screen. */
    void take(Press press, int page) {
        if (typed.isPresent()) {
            type(press, typed.get());
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
            default -> {
            }
        }
    }

    private void take(char key) {
        switch (key) {
            case 'q' -> quits = true;
            case 'h', '?' -> help = !help;
            case 'p', ' ' -> paused = !paused;
            case 'f' -> view.toggleFrozen();
            case 'g' -> view.toggleGrouped();
            case '/' -> typed = Optional.of(view.filter());
            case 's' -> view.sortBy(view.sort().next());
            case 't' -> view.sortBy(SortKey.TOTAL);
            case 'u' -> view.sortBy(SortKey.USER);
            case 'y' -> view.sortBy(SortKey.SYSTEM);
            case 'w' -> view.sortBy(SortKey.WAIT);
            case 'm' -> view.sortBy(SortKey.TIME);
            case 'n' -> view.sortBy(SortKey.NAME);
            case 'k' -> view.select(view.selected() - 1);
            case 'j' -> view.select(view.selected() + 1);
            default -> {
            }
        }
    }

    private void type(Press press, String text) {
        switch (press.key()) {
            case CHARACTER -> typed = Optional.of(text + press.character());
            case ERASE -> typed = Optional.of(text.substring(0, Math.max(0, text.length() - 1)));
            case ENTER -> {
                view.filterBy(text);
                typed = Optional.empty();
            }
            case ESCAPE -> typed = Optional.empty();
            case CLOSED -> quits = true;
            default -> {
            }
        }
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
    Screen.State state(List<String> frames) {
        Optional<List<String>> stack = stackShown ? Optional.of(stackOf() == 0 ? List.of() : frames)
                : Optional.empty();
        return new Screen.State(label, paused, help, typed, stack);
    }
}
