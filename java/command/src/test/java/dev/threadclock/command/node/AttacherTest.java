// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.attach.AttachException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which JVMs node attaches to. */
class AttacherTest {
    /** Greater than any PID. */
    private static final int NO_PID = 5_000_000;

    private static Attacher attacher(String options, String... choices) {
        return new Attacher(List.of(choices), options, (pid, start, connection) -> 0, line -> {
        });
    }

    private static boolean isChosen(String choice, String main) {
        return attacher("", choice).attachIfChosen(4711, 1, new String[]{main, "c0ffee", ""},
                "Name:\tUid:\t5\t5\nUid:\t7\t1000\t7\t7\nGid:\t8\t8\t8\t8\n"
                        .getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @CsvSource({"main=Tomcat*, true", "main=*, true", "main=*cat*7, true", "main=Tomcat-7, true",
        "main=tomcat*, false", "main=Tomcat, false", "main=*Tomcat, false", "main=T*t-*-7, false",
        "main=Tomcat.7, false", "main=.*, false", "main=*at*at*, false", "pid=4711, true", "pid=471, false",
        "pid=*1, true", "main=T*, true", "user=1000, true", "user=7, false", "user=root, false",
        "container_id=c0ffee, true",
        "container_id=c*, true", "pod_uid=*, false", "pod_uid=0*, false"})
    void valuesAreWholeButForStars(String choice, boolean isChosen) {
        assertThat(isChosen(choice, "Tomcat-7")).isEqualTo(isChosen);
    }

    @Test
    void oneOfTheChoicesIsEnough() {
        assertThat(
                attacher("", "pid=1", "main=a").attachIfChosen(2, 1, new String[]{"a", "", ""}, new byte[0]))
                .isTrue();
    }

    /** The kernel gives numbers again: to JVMs that nobody has named. */
    @Test
    void aPidIsThatOfAJvmThatRunsWhenNodeStarts() {
        Attacher attacher = attacher("", "pid=" + NO_PID);
        assertThat(attacher.attachIfChosen(NO_PID, 1, new String[]{"", "", ""}, new byte[0])).isTrue();
        attacher.start();
        assertThat(attacher.attachIfChosen(NO_PID, 2, new String[]{"", "", ""}, new byte[0])).isFalse();
    }

    @Test
    void aPidThatNoJvmHasIsLogged() {
        List<String> log = new ArrayList<>();
        Attacher attacher = new Attacher(List.of("pid=4711", "pid=" + NO_PID, "pid=9*", "main=a"), "",
                (pid, start, connection) -> 0, log::add);
        attacher.attachIfChosen(NO_PID, 1, new String[]{"", "", ""}, new byte[0]);
        assertThat(log).isEmpty();
        attacher.start();
        assertThat(log).singleElement().asString()
                .startsWith("--attach pid=4711: node has found no JVM with");
    }

    /** The name is the JVM's choice. */
    @Test
    void aHostileNameTakesNoTime() {
        String many = "main=" + "*a".repeat(30) + "*b";
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            assertThat(isChosen(many, "a".repeat(100))).isFalse();
            assertThat(isChosen(many, "a".repeat(100) + "b")).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4711", "main", "main=", "group=x", "user=*", "user=no such user"})
    void whatIsNoChoiceIsRefused(String choice) {
        assertThatThrownBy(() -> attacher("", choice)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void optionsOfRequestsAreRefused() {
        assertThatThrownBy(() -> attacher("virtual=on,do=detach", "pid=1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Attaching to them throws what is here under their number, or nothing. */
    private static Attacher failing(Map<Integer, Throwable> failures, Consumer<String> log,
            BlockingQueue<Integer> attached) {
        Attacher attacher = new Attacher(List.of("main=*"), "", (pid, start, connection) -> 0, log) {
            @Override
            void attach(Chosen jvm) {
                attached.add(jvm.pid() - NO_PID);
                AttacherTest.<RuntimeException>raise(failures.get(jvm.pid() - NO_PID));
            }
        };
        attacher.pauses = List.of(Duration.ofMillis(1), Duration.ofMillis(2));
        return attacher;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        if (thrown != null) {
            throw (T) thrown;
        }
    }

    private static boolean choose(Attacher attacher, int number) {
        return attacher.attachIfChosen(NO_PID + number, 1, new String[]{"Main", "", ""}, new byte[0]);
    }

    @Test
    void noFailureEndsTheThread() throws InterruptedException {
        BlockingQueue<Integer> attached = new LinkedBlockingQueue<>();
        Attacher attacher = failing(Map.of(1, new StackOverflowError(), 2, new IllegalStateException("2")),
                line -> {
                    throw new InternalError(line);
                }, attached);
        attacher.start();
        for (int number = 1; number <= 3; number++) {
            assertThat(choose(attacher, number)).isTrue();
            assertThat(attached.poll(20, TimeUnit.SECONDS)).isEqualTo(number);
        }
    }

    @Test
    void whatMayPassIsTriedThreeTimes() throws InterruptedException {
        BlockingQueue<Integer> attached = new LinkedBlockingQueue<>();
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        Attacher attacher = failing(Map.of(1, new AttachException("it is busy; try again"), 2,
                new AttachException("refused")), log::add, attached);
        choose(attacher, 1);
        choose(attacher, 2);
        attacher.start();
        String begin = "process 5000001 is not attached to: it is busy; try again";
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lines.add(log.poll(20, TimeUnit.SECONDS));
        }
        assertThat(lines).containsExactlyInAnyOrder(begin + " (node tries again in 0 s)",
                begin + " (node tries again in 0 s)", begin, "process 5000002 is not attached to: refused");
        assertThat(log.poll(100, TimeUnit.MILLISECONDS)).isNull();
        assertThat(attached).containsExactlyInAnyOrder(1, 1, 1, 2);
    }

    /** It is to be seen that one is not attached to. */
    @Test
    void whatDoesNotFitIntoTheQueueIsLogged() {
        List<String> log = new ArrayList<>();
        Attacher attacher = failing(Map.of(), log::add, new LinkedBlockingQueue<>());
        for (int number = 1; number <= 251; number++) {
            assertThat(choose(attacher, number)).isTrue();
        }
        assertThat(log).singleElement().asString()
                .startsWith("process 5000251 is not attached to: 250 others ");
    }
}
