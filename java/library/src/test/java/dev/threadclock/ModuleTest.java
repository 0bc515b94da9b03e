// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import org.junit.jupiter.api.Test;

/** What the library's module requires and exports. */
class ModuleTest {
    @Test
    void onlyThePublicPackageIsExportedToAllAndNothingBeyondJavaBaseIsRequired() throws Exception {
        try (InputStream in = CpuTimes.class.getResourceAsStream("/META-INF/versions/9/module-info.class")) {
            ModuleDescriptor module = ModuleDescriptor.read(in);
            assertThat(module.name()).isEqualTo("dev.threadclock");
            assertThat(module.exports()).extracting(ModuleDescriptor.Exports::toString)
                    .containsExactlyInAnyOrder("dev.threadclock",
                            "dev.threadclock.internal to [dev.threadclock.attach]");
            assertThat(module.requires()).filteredOn(
                    required -> !required.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                    .extracting(ModuleDescriptor.Requires::name).containsExactly("java.base");
        }
    }

    @Test
    void classesAreJava8() throws Exception {
        String resource = "/dev/threadclock/ThreadClock.class";
        try (DataInputStream in = new DataInputStream(CpuTimes.class.getResourceAsStream(resource))) {
            in.readInt();
            in.readUnsignedShort();
            assertThat(in.readUnsignedShort()).isEqualTo(52);
        }
    }
}
