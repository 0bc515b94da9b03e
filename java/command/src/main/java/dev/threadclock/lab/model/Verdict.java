// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

/** The judgement on a claim after its experiment. */
public enum Verdict {
    CONFIRMED("confirmed"),
    NOT_CONFIRMED("not confirmed"),
    /** It cannot be run here. The outcome's finding says why, and what would change that. */
    NOT_RUNNABLE("not runnable here"),
    /** It ran, but the machine was too noisy to conclude. */
    TOO_NOISY("too noisy"),
    /** It should have run, but failed. */
    FAILED("failed");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
