// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A folder whose bin/java is a shell script that answers -XshowSettings:properties -version as a JVM would.
 */
final class FakeJdk {
    private FakeJdk() {}

    /** An installation of this version; more: further lines "key = value". */
    static Path at(Path home, String version, String... more) throws IOException {
        return script(home,
                "echo '    java.home = " + home + "'; echo '    java.version = " + version
                        + "'; echo '    os.arch = amd64'; "
                        + "printf '    %s\\n' '" + String.join("' '", more) + "'");
    }

    /** Creates a bin/java with this body; its stdout goes to stderr. */
    static Path script(Path home, String body) throws IOException {
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nexec >&2\n" + body + "\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }
}
