// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Labels from the command lines of JVMs, and from the control groups that runtimes make. */
class NodeLabelsTest {
    private static final String ID = "0123456789abcdef".repeat(4);
    private static final String OTHER = "fedcba9876543210".repeat(4);
    private static final String POD = "01234567-89ab-cdef-0123-456789abcdef";

    private static String[] of(String commandLine, String groups) {
        return NodeLabels.of(commandLine.replace(' ', '\0').getBytes(StandardCharsets.UTF_8),
                groups.replace("ID", ID).replace("OTHER", OTHER).replace("POD", POD)
                        .replace("UNDER", POD.replace('-', '_')).getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"java -cp a:b com.example.Main x, com.example.Main", "java -jar /opt/app.jar, app.jar",
        "java -jar lib/app.jar, app.jar", "java -m mod/com.example.Main, com.example.Main",
        "/usr/bin/jsvc -user x com.example.Main, com.example.Main", "java @options, java",
        "java -Xmx1g, java", "/usr/lib/soffice.bin /home/u/letter.odt, soffice.bin"})
    void mainIsTheClassOrTheJar(String commandLine, String main) {
        assertThat(of(commandLine, "")).containsExactly(main, "", "");
    }

    @Test
    void hostileCommandLinesBecomeOneShortLine() {
        assertThat(of("", "")).containsExactly("", "", "");
        assertThat(of("java \033[31m\"\n#" + "x".repeat(300_000), "")[0]).hasSize(100)
                .startsWith("?[31m\"; #x").endsWith("...");
    }

    @ParameterizedTest
    @CsvSource({
        "0::/kubepods.slice/kubepods-burstable-podUNDER.slice/cri-containerd-ID.scope",
        "0::/../../kubepods-burstable-podUNDER.slice/crio-ID.scope", "0::/kubepods/besteffort/podPOD/ID",
        "4:cpu:/kubepods-podUNDER.slice:cri-containerd:ID",
        "0::/docker/OTHER/kubelet.slice/kubelet-kubepods-podUNDER.slice/cri-containerd-ID.scope",
        "0::/kubepods/podPOD/ID/x/podPOD/docker-OTHER.scope"})
    void containersOfPods(String groups) {
        assertThat(of("java Main", "9:name=systemd:/\n" + groups + "\n")).containsExactly("Main", ID, POD);
    }

    @ParameterizedTest
    @CsvSource({"0::/system.slice/docker-ID.scope", "3:cpu:/docker/ID",
        "0::/user.slice/user-1000.slice/libpod-ID.scope/container", "0::/docker/ID/docker/OTHER"})
    void otherContainers(String groups) {
        assertThat(of("java Main", groups + "\n")).containsExactly("Main", ID, "");
    }

    /** Where a user may make any: rootless containers are there, too. */
    @ParameterizedTest
    @CsvSource({"user@1000.service/x.slice/podPOD/ID",
        "user@1000.service/user.slice/libpod-ID.scope/container",
        "user@1000.service/kubepods.slice/kubepods-podUNDER.slice/cri-containerd-ID.scope",
        "user@0.service/docker/ID"})
    void whatAUserCanForge(String group) {
        String groups = "1:name=systemd:/user.slice/user-1000.slice/" + group + "\n0::/../../" + group + "\n";
        assertThat(of("java Main", groups)).containsExactly("Main", "", "");
        assertThat(of("java Main", groups + "4:cpu:/docker/OTHER\n")[1]).isEqualTo(OTHER);
    }

    @ParameterizedTest
    @CsvSource({"0::/", "0::/system.slice/app.service", "0::/user.slice/podcast-ID.service",
        "0::/kubepods.slice/pod1234.slice"})
    void noContainers(String groups) {
        assertThat(of("java Main", groups + "\n")).containsExactly("Main", "", "");
    }
}
