// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import java.io.IOException;
import java.util.List;

/** One experiment of the lab: a question, what others published, and how to answer it here. */
public interface Experiment {
    /**
     * For --only and for files: lower case, words joined by hyphens. Must never change, because runs are
     * compared by it.
     */
    String name();

    /** Rows of the table of experiments (docs/lab.md) that it answers. */
    List<Integer> rows();

    /** What it is about, in one line. */
    String title();

    /** One paragraph for a reader without prior knowledge. */
    String question();

    /** Who published which figures, from which set-up; "" if the claim is our own. */
    String published();

    /** What is run, in one paragraph; depends on the machine and on --quick. */
    String conditions(Lab lab);

    /** About how many seconds it takes. */
    int seconds(Lab lab);

    /**
     * Runs it. Every process that it starts ends with it.
     *
     * @throws NotRunnable it cannot be run here, with the reason and what would change that
     * @throws IOException it began and failed: what happened
     */
    Outcome run(Lab lab) throws NotRunnable, IOException;
}
