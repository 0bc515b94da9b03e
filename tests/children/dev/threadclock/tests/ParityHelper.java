// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;

/** Libraries for child programs that need native threads, or another agent that wants the same natives. */
final class ParityHelper {
    private static final CLibrary LIBRARY = CLibrary.of("parity_helper");
    private static final CLibrary RIVAL = CLibrary.of("rival_agent");

    /** The library, or none if it cannot be built here. */
    static Optional<Path> library() {
        return LIBRARY.file();
    }

    /** The library of the child program Rival. */
    static Optional<Path> rival() {
        return RIVAL.file();
    }

    /** Returns the library; skips the test if it cannot be built. */
    static String assumeLibrary() {
        assumeTrue(library().isPresent() && rival().isPresent(), problem());
        return LIBRARY.file().get().toString();
    }

    /** Why the libraries cannot be built. */
    static String problem() {
        return LIBRARY.problem() + RIVAL.problem();
    }
}
