// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibrarySources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The API says what answers it: native code through JNI or, if that is unavailable, ThreadMXBean.
 */
class LibraryFallbackTest {
    @TempDir
    Path folder;

    private static ChildJvm plain(TestJdk jdk) {
        return ChildJvm.of(jdk).withClassPath(Product.JAR);
    }

    private static Result run(TestJdk jdk, String... flags) {
        return plain(jdk).withNativeAccess().with(flags).run(LibrarySources.class);
    }

    @OnEachJdk
    void theSourceOfEachQuantityIsReported(TestJdk jdk) {
        Result result = run(jdk).ok();
        result.has("binding", "JNI");
        assertThat(result.out()).contains("source USER TICK: ", "source SYSTEM NOW: ",
                "source TOTAL INTERPOLATED: ",
                "source USER INTERPOLATED: only TOTAL can be INTERPOLATED");
        result.assertNumber("tid").isPositive();
        result.has("byTid", true).has("native", true).has("required", "ok").has("nobody", "refused");
    }

    @OnEachJdk
    void theJvmsOwnWarningIsTheOnlyOne(TestJdk jdk) {
        Result result = plain(jdk).run(LibrarySources.class).exits(0);
        assertThat(result.err().lines().filter(line -> line.contains("has been called by")))
                .as(result.toString()).hasSize(jdk.warnsOfNativeAccess() ? 1 : 0);
    }

    @OnEachJdk(from = 9)
    void theJarIsTheModuleThatIsDocumented(TestJdk jdk) {
        List<String> quietly = jdk.warnsOfNativeAccess() ? List.of("--enable-native-access=dev.threadclock")
                : List.of();
        ChildJvm.exec(jdk.java(), quietly, "-Xmx256m", "--module-path", Product.JAR, "--add-modules",
                "dev.threadclock", "-cp", Product.origin(LibrarySources.class),
                LibrarySources.class.getName()).end().ok().has("native", true);
    }

    private static void assertAnsweredByTheJvm(Result result, String why) {
        result.has("binding", "ThreadMXBean");
        assertThat(result.out()).contains("source USER TICK: ThreadMXBean through ThreadMXBean")
                .contains(why);
        result.assertNumber("user").isPositive();
        result.assertNumber("total").isEqualTo(result.number("user") + result.number("system"));
        for (String number : List.of("tick", "process", "threads", "meter")) {
            result.assertNumber(number).isPositive();
        }
        result.assertNumber("tid").isEqualTo(-1);
        result.has("byTid", "unsupported").has("other", true).has("native", false).has("required", "refused");
        assertThat(result.out())
                .containsPattern("required: CPU times come from ThreadMXBean here, .*" + Pattern.quote(why));
    }

    @Test
    void onAnUnknownProcessor() {
        assertAnsweredByTheJvm(run(TestJdk.newest(), "-Dos.arch=sparc").ok(),
                "there is no native library for os.name Linux, os.arch sparc");
    }

    /** Where native code could be used, the program's log says once why it is not used. */
    private static Result logged(Result result, String why) {
        assertThat(result.exits(0).errLines()).as(result.toString())
                .filteredOn(line -> line.contains("CPU times come from ThreadMXBean here")).singleElement()
                .asString().startsWith("WARNING").contains(why);
        return result;
    }

    @Test
    void whereTheLibraryDoesNotLoad() {
        String why = "-Ddev.threadclock.library=/nonexistent/lib.so does not load";
        assertAnsweredByTheJvm(
                logged(run(TestJdk.newest(), "-Ddev.threadclock.library=/nonexistent/lib.so"), why), why);
    }

    @Test
    void whereTheLibraryIsAnother() {
        Result result = run(TestJdk.newest(),
                "-Ddev.threadclock.library=" + CLibrary.assume("parity_helper"));
        logged(result, "take the library and the classes from the same version of threadclock");
        assertAnsweredByTheJvm(result,
                "the native library does not fit dev.threadclock.internal.NativeLibrary");
    }

    @Test
    void theLogCanBeSwitchedOff() throws Exception {
        Path settings = Files.writeString(folder.resolve("logging.properties"),
                "handlers=java.util.logging.ConsoleHandler\ndev.threadclock.level=OFF\n");
        run(TestJdk.newest(), "-Ddev.threadclock.library=/nonexistent/lib.so",
                "-Djava.util.logging.config.file=" + settings).ok();
    }

    @OnEachJdk(from = 9)
    void theLogNeedsNoModule(TestJdk jdk) {
        Result result = run(jdk, "--limit-modules", "java.base,java.management",
                "-Ddev.threadclock.library=/nonexistent/lib.so").exits(0);
        assertThat(result.err()).as(result.toString())
                .containsOnlyOnce("CPU times come from ThreadMXBean here");
    }

    @Test
    void aRequiredNativeLibraryIsMissedAtTheFirstUse() {
        Result result = run(TestJdk.newest(), "-Ddev.threadclock.requireNative=true", "-Dos.arch=sparc")
                .exits(1);
        assertThat(result.err()).contains("ExceptionInInitializerError",
                "CPU times come from ThreadMXBean here", "os.arch sparc");
        run(TestJdk.newest(), "-Ddev.threadclock.requireNative=true").ok();
    }

    @OnEachJdk(from = 24)
    void whereNativeAccessIsDenied(TestJdk jdk) {
        Result result = logged(plain(jdk).with("--illegal-native-access=deny").run(LibrarySources.class),
                "--enable-native-access=");
        assertAnsweredByTheJvm(result, "Illegal native access");
        assertThat(result.out()).contains("--enable-native-access=");
    }

    @OnEachJdk(from = 9)
    void withoutTheModuleOfThreadMXBean(TestJdk jdk) {
        Result nothing = run(jdk, "--limit-modules", "java.base", "-Dos.arch=sparc").ok().has("read", false);
        assertThat(nothing.out()).contains("source USER TICK: none",
                "user=-1 system=-1 total=-1 tick=-1 process=-1 threads=0");
        run(jdk, "--limit-modules", "java.base").ok().has("binding", "JNI").assertNumber("threads")
                .isPositive();
    }
}
