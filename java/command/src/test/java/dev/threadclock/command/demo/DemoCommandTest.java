// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import dev.threadclock.command.terminal.Failure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * Wrong arguments of the demo are refused before anything is measured; and the README's table has a line for
 * each JDK, even if one failed.
 */
class DemoCommandTest {
    @TempDir
    Path folder;

    private final StringWriter said = new StringWriter();

    private CommandLine command() {
        return new CommandLine(new DemoCommand()).setErr(new PrintWriter(said)).setOut(new PrintWriter(said));
    }

    @ParameterizedTest
    @CsvSource({"--json - --markdown -, only one of", "--json, --json", "extra, extra", "--jdk, --jdk",
        "--html x, --html"})
    void usageErrorsExitWith2(String line, String says) {
        assertThat(command().execute(line.split(" "))).isEqualTo(2);
        assertThat(said.toString()).contains(says);
    }

    @Test
    void aFileThatCannotBeWrittenFailsFirst() {
        CommandLine command = command().setExecutionExceptionHandler((e, line, parsed) -> {
            throw e;
        });
        DemoCommand demo = command.getCommand();
        command.parseArgs("--jdk", "/nonexistent", "--json",
                folder.resolve("no/demo.json").toString());
        assertThatThrownBy(demo::call).isInstanceOf(Failure.class).hasMessageContainingAll("no such folder",
                "--json FILE");
        command.parseArgs("--markdown", folder.toString());
        assertThatThrownBy(demo::call).isInstanceOf(Failure.class).hasMessageContainingAll("it is a folder",
                "--markdown FILE");
    }

    private static final String JSON = """
            {"threadclock": "1.2.3", "measured": "2026-01-31T10:00:00Z", "quick": true,
             "machine": {"cpu": "A CPU", "cpus": 1, "virtual": false, "kernel": "6.1", "tickHertz": 250, "clockSource": "tsc"},
             "jdks": [
              {"home": "/jdk", "version": "25.0.5", "vendor": "Some",
               "before": {"user": {"medianNanos": 8000}, "nanoTime": {"medianNanos": 20}, "p999Nanos": 33600,
                "aroundTicks": {"userNanos": 1600000000, "cpuNanos": 360000000},
                "betweenTicks": {"userNanos": 0, "cpuNanos": 640000000}},
               "with": {"user": {"medianNanos": 10}, "nanoTime": {"medianNanos": 20}, "p999Nanos": 60,
                "aroundTicks": {"userNanos": 359000000, "cpuNanos": 360000000},
                "betweenTicks": {"userNanos": 639600000, "cpuNanos": 640000000}}},
              {"home": "/other", "version": "1.8.0_1", "vendor": "Other", "failure": "ended | with 134\\nits stderr"}]}
            """;

    private static DemoReport report(String json) {
        return new Gson().fromJson(json, DemoReport.class);
    }

    @Test
    void aTableOfWhatWasMeasured() {
        assertThat(DemoMarkdown.render(report(JSON))).isEqualTo(
                """
                        | JDK | faster | one read | with threadclock | user of CPU time, around and between ticks | with threadclock |
                        |---|---|---|---|---|---|
                        | **JDK 25.0.5 Some** | **800×** | 8,000 ns | 10.0 ns | 1600 of 360 ms, **wrong by +344 %**; 0 of 640 ms, **wrong by -100 %** | 359 of 360 ms; 640 of 640 ms, right |
                        | **JDK 1.8.0_1 Other** | failed | ended \\| with 134 |  |  |  |

                        One read of `getCurrentThreadUserTime()`: the median. With threadclock it takes at most \
                        0.50 of a `System.nanoTime()`. Threads that work in user mode only, around timer ticks or \
                        between them: their user time should be their CPU time. \
                        Measured by `threadclock demo --quick` 1.2.3 on 2026-01-31: A CPU, 1 CPU, Linux 6.1, HZ=250, clock source tsc.
                        """);
    }

    @Test
    void whatIsNotJudgedIsNotCalledRight() {
        DemoReport little = report(JSON.replace("359000000, \"cpuNanos\": 360000000",
                "30000000, \"cpuNanos\": 40000000"));
        assertThat(DemoMarkdown.render(little)).contains("| 30 of 40 ms, not judged; 640 of 640 ms, right |");
        assertThat(little.disturbance()).contains("too little work", "without --quick");
    }

    /** The JDK of Debian 12 alone, for example. */
    @Test
    void whereAllJdksAreRightTheTableNamesHowToGetOneThatIsNot() {
        assertThat(report(JSON).unseen()).isEmpty();
        assertThat(report(JSON.replace("1600000000", "355000000").replace("\"userNanos\": 0",
                "\"userNanos\": 630000000")).unseen()).contains("ci/jdks up 27");
    }
}
