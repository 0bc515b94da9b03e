// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.util.List;

/** Reads the output that docs/installing.md shows for each way to install the agent. */
final class Documented {
    /** The lines of the code block below {@code <!-- output: NAME -->}, without empty lines. */
    static List<String> output(String name) {
        String page = AttachJvm.read(Product.ROOT.resolve("docs/installing.md"));
        String block = page.split("<!-- output: " + name + " -->\\s*```\n", 2)[1].split("```", 2)[0];
        return block.lines().filter(line -> !line.isEmpty()).toList();
    }

    /** The printed lines. Names that differ from run to run are replaced as in the page. */
    static List<String> printed(List<String> lines) {
        return lines.stream().filter(line -> !line.isEmpty())
                .map(line -> line.replaceAll("\\(file:/[^)]*\\.jar\\)", "(file:JAR)")
                        .replaceAll("\\(/[^)]*\\.so\\)", "(LIBRARY)"))
                .toList();
    }
}
