// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.shared.ChildProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/metrics.md, compiled and run unchanged: it prints the lines that the page shows. */
class PastedExampleTest {
    @TempDir
    Path folder;

    private static List<String> blocksAfter(String mark) throws Exception {
        String page = Files.readString(Path.of("../../../docs/metrics.md"));
        String[] parts = page.split("<!-- " + mark + " -->", 2)[1].split("(?m)^```.*\n");
        return List.of(parts[1], parts[3]);
    }

    /** The line without its numbers, which differ from run to run. */
    private static String shape(String line) {
        return line.replaceAll("[0-9.]+(E-[0-9]+)?( |,|$)", "N$2");
    }

    @Test
    void theProgramPrintsWhatThePageShows() throws Exception {
        List<String> blocks = blocksAfter("pasted by PastedExampleTest");
        Path source = Files.writeString(folder.resolve("Metered.java"), blocks.get(0));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", ChildProcess.CLASS_PATH,
                "-d", folder.toString(), source.toString())).isZero();
        String output = ChildProcess.run(ChildProcess.of(List.of(ChildProcess.JAVA, "-cp",
                folder + File.pathSeparator + ChildProcess.CLASS_PATH, "Metered"))).ok();
        assertThat(output.lines().map(PastedExampleTest::shape))
                .containsAll(Arrays.stream(blocks.get(1).split("\n")).map(PastedExampleTest::shape).toList());
    }
}
