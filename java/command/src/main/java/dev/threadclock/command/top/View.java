// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Which threads are shown, in which order, and on a screen which one is selected. Not thread-safe. */
final class View {
    private final boolean complete;
    private final boolean idle;
    private final int most;
    private Column sort;
    private boolean grouped;
    private String filter;
    private boolean reversed;
    /** Positions by key while the order is frozen, otherwise null. */
    private Map<Object, Integer> frozen;
    private List<Use> rows = List.of();
    private int left;
    private int idleLeft;
    private int selected;
    /** The key of the selected thread. Null if a position is selected, whichever thread moves there. */
    private Object followed;

    /**
     * @param complete whether ended threads are listed individually, for programs. There may be many
     * @param idle whether threads that have not run are listed
     * @param most the maximum number of rows
     */
    View(Column sort, boolean grouped, String filter, boolean complete, boolean idle, int most) {
        this.complete = complete;
        this.idle = idle;
        this.most = most;
        this.sort = sort;
        this.grouped = grouped;
        this.filter = filter;
    }

    /** Takes the rows from the newest interval, or again from the same one after a change. */
    List<Use> update(Interval interval) {
        String wanted = filter.toLowerCase(Locale.ROOT);
        List<Use> all = new ArrayList<>(
                grouped ? interval.byPool() : complete ? interval.all() : interval.byThread());
        all.addAll(interval.groups());
        if (!wanted.isEmpty()) {
            all.removeIf(use -> !use.name().toLowerCase(Locale.ROOT).contains(wanted));
        }
        int found = all.size();
        all.removeIf(use -> !idle && use.interval().totalNanos() == 0);
        idleLeft = found - all.size();
        Comparator<Use> order = reversed ? sort.order().reversed() : sort.order();
        all.sort(frozen == null ? order
                : Comparator.comparingInt((Use use) -> frozen.getOrDefault(use.key(), Integer.MAX_VALUE))
                        .thenComparing(order));
        left = Math.max(0, all.size() - most);
        rows = List.copyOf(all.subList(0, all.size() - left));
        selected = Math.max(0, Math.min(selected, rows.size() - 1));
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).key().equals(followed)) {
                selected = i;
            }
        }
        return rows;
    }

    List<Use> rows() {
        return rows;
    }

    /** The number of rows beyond the maximum. */
    int left() {
        return left;
    }

    /** The number of threads that are not listed because they have not run. */
    int idleLeft() {
        return idleLeft;
    }

    int selected() {
        return selected;
    }

    /** The selected row; null if there are no rows. */
    Use selection() {
        return selected < rows.size() ? rows.get(selected) : null;
    }

    /** Whether the thread is one of the rows, or in one of the pools. */
    boolean isListed(Use thread) {
        return grouped || rows.stream().anyMatch(use -> use.key().equals(thread.key()));
    }

    /** The threads will be sampled anew, with other serials. */
    void restart() {
        followed = null;
        frozen = null;
    }

    /** The selected thread stays selected wherever it moves. */
    void follow() {
        followed = rows.isEmpty() ? null : selection().key();
    }

    /** A selected thread stays selected wherever it moves; the first row is selected as a position. */
    void select(int row) {
        selected = Math.max(0, Math.min(row, rows.size() - 1));
        followed = selected == 0 ? null : selection().key();
    }

    Column sort() {
        return sort;
    }

    void sortBy(Column key) {
        sort = key;
        frozen = null;
    }

    boolean isReversed() {
        return reversed;
    }

    void reverse() {
        reversed = !reversed;
        frozen = null;
    }

    boolean grouped() {
        return grouped;
    }

    void toggleGrouped() {
        grouped = !grouped;
        frozen = null;
    }

    String filter() {
        return filter;
    }

    void filterBy(String text) {
        filter = text;
    }

    boolean isFrozen() {
        return frozen != null;
    }

    /** While the order is frozen, rows keep their positions and only their numbers change. */
    void toggleFrozen() {
        if (frozen != null) {
            frozen = null;
            return;
        }
        frozen = new HashMap<>();
        rows.forEach(use -> frozen.put(use.key(), frozen.size()));
    }
}
