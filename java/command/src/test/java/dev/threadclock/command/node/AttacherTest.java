// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which JVMs node attaches to. */
class AttacherTest {
    private static Attacher attacher(String options, String... choices) {
        return new Attacher(List.of(choices), options, (pid, start, connection) -> 0, line -> {
        });
    }

    private static boolean isChosen(String choice, String main) {
        return attacher("", choice).isChosen(4711, 1, new String[]{main, "c0ffee", ""},
                "Name:\tUid:\t5\t5\nUid:\t7\t1000\t7\t7\nGid:\t8\t8\t8\t8\n"
                        .getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @CsvSource({"main=Tomcat*, true", "main=*, true", "main=*cat*7, true", "main=Tomcat-7, true",
        "main=tomcat*, false", "main=Tomcat, false", "main=*Tomcat, false", "main=T*t-*-7, false",
        "main=Tomcat.7, false", "main=.*, false", "main=*at*at*, false", "pid=4711, true", "pid=471, false",
        "pid=*1, true", "user=1000, true", "user=7, false", "user=root, false", "container_id=c0ffee, true",
        "container_id=c*, true", "pod_uid=*, false", "pod_uid=0*, false"})
    void valuesAreWholeButForStars(String choice, boolean isChosen) {
        assertThat(isChosen(choice, "Tomcat-7")).isEqualTo(isChosen);
    }

    @Test
    void oneOfTheChoicesIsEnough() {
        assertThat(attacher("", "pid=1", "main=a").isChosen(2, 1, new String[]{"a", "", ""}, new byte[0]))
                .isTrue();
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
}
