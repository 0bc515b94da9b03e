// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

import java.io.IOException;
import java.util.List;

/** One experiment of the lab: a question, what others published, and how to answer it here. */
public interface Experiment {
    /** Lower-case words joined by hyphens. The name must never change, because runs are compared by it. */
    String name();

    /** The rows of the table of experiments (docs/lab.md) that it answers. */
    List<Integer> rows();

    /** What it is about, in one line. */
    String title();

    /** One paragraph for a reader without prior knowledge. */
    String question();

    /** Who published which figures, measured with which set-up; "" if the claim is our own. */
    default String published() {
        return "";
    }

    /** What is run, in one paragraph. Depends on the machine and on --quick. */
    String conditions(Lab lab);

    /** Roughly how many seconds it takes. */
    int seconds(Lab lab);

    /**
     * Runs the experiment. Every process that it starts ends with it.
     *
     * @throws NotRunnable if it cannot be run here, with the reason and a remedy
     * @throws IOException if it began but failed
     */
    Outcome run(Lab lab) throws NotRunnable, IOException;
}
