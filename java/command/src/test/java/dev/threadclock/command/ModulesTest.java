// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Data flows one way through the modules: none knows a later one, and the command line's packages form no
 * cycle.
 */
class ModulesTest {
    private static final String ROOT = "dev.threadclock";
    /** The modules by their packages, those of the command line apart. The library has the root. */
    private static final List<List<String>> MODULES = List.of(List.of("", "internal"), List.of("agent"),
            List.of("attach"), List.of("jmh"), List.of("command.terminal"),
            List.of("command.jdk"), List.of("command.attach"), List.of("command.machine"),
            List.of("command.sample", "command.interval", "command.top", "command.record", "command.report"),
            List.of("command.node"), List.of("command.probe"), List.of("command.measure"),
            List.of("command.demo"),
            List.of("command", "command.doctor", "command.help"));
    /** The library and the agent. */
    private static final int PUBLISHED = 2;
    /** Published as well, but the commands use what it offers to users. */
    private static final int ATTACH = 2;

    /**
     * Public types that are used by name or by tests: JMH is given the profiler's name; tests of other
     * modules render the README's table and run the loads.
     */
    private static final Set<String> KNOWN_OUTSIDE = Set.of(ROOT + ".jmh.CpuTimeProfiler",
            ROOT + ".command.demo.DemoMarkdown", ROOT + ".command.probe.TickLoads");

    private static JavaClasses classes;

    @BeforeAll
    static void read() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(ROOT);
    }

    @Test
    void eachClassBelongsToAModule() {
        assertThat(classes.stream().filter(type -> module(type) < 0).map(JavaClass::getName)).isEmpty();
        assertThat(classes.stream().map(ModulesTest::module).distinct()).as("modules that were read")
                .hasSameSizeAs(MODULES);
    }

    @Test
    void noModuleKnowsALaterOne() {
        assertThat(dependencies().filter(ModulesTest::goesUp).map(Dependency::getDescription)).isEmpty();
    }

    @Test
    void packagesFormNoCycle() {
        JavaClasses own = classes.that(
                DescribedPredicate.describe("of the command line", type -> module(type) > ATTACH));
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(own);
    }

    /** Main classes are exempt, because they are found by name. */
    @Test
    void publicTypesHaveUsersOutsideTheirPackage() {
        assertThat(classes.stream().filter(type -> module(type) >= PUBLISHED && type.isTopLevelClass())
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !isMain(type))
                .filter(type -> !KNOWN_OUTSIDE.contains(type.getName()))
                .filter(type -> withNested(type).flatMap(each -> each.getDirectDependenciesToSelf().stream())
                        .map(Dependency::getOriginClass)
                        .allMatch(user -> user.getPackageName().equals(type.getPackageName())))
                .map(JavaClass::getName)).isEmpty();
    }

    private static Stream<JavaClass> withNested(JavaClass type) {
        return classes.stream()
                .filter(each -> each.equals(type) || each.getName().startsWith(type.getName() + "$"));
    }

    @Test
    void attachOffersFewTypes() {
        assertThat(classes.stream().filter(type -> type.getPackageName().equals(ROOT + ".attach"))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && type.isTopLevelClass())
                .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("AttachException", "Jvm", "JvmStatus", "RunningJvm");
    }

    @Test
    void attachKnowsNothingButTheLibraryAndTheJdk() {
        assertThat(classes.stream().filter(type -> module(type) == ATTACH)
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(each -> !each.getTargetClass().getBaseComponentType().isPrimitive()
                        && !each.getTargetClass().getPackageName()
                                .matches("(java|jdk|dev\\.threadclock)\\b.*"))
                .map(Dependency::getDescription)).isEmpty();
    }

    /** Applications use the adapters with the library alone. The adapters are not on this class path. */
    @ParameterizedTest
    @ValueSource(strings = {"micrometer", "opentelemetry", "spark"})
    void adaptersKnowNothingButTheLibrarysPublicPackage(String adapter) {
        Path compiled = Path.of("../metrics/" + adapter + "/target/classes");
        assumeThat(compiled).as("the adapter is compiled").exists();
        JavaClasses own = new ClassFileImporter().importPath(compiled);
        assertThat(own.stream().map(JavaClass::getPackageName).distinct())
                .containsExactly(ROOT + "." + adapter);
        assertThat(own.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(each -> each.getTargetClass().getPackageName().startsWith(ROOT))
                .filter(each -> !Set.of(ROOT, ROOT + "." + adapter)
                        .contains(each.getTargetClass().getPackageName()))
                .map(Dependency::getDescription)).isEmpty();
    }

    private static Stream<Dependency> dependencies() {
        return classes.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(each -> each.getTargetClass().getPackageName().startsWith(ROOT));
    }

    private static boolean goesUp(Dependency dependency) {
        return module(dependency.getTargetClass()) > module(dependency.getOriginClass());
    }

    private static boolean isMain(JavaClass type) {
        return type.tryGetMethod("main", String[].class).isPresent();
    }

    /** The index of the type's module; -1 if it is in none. */
    private static int module(JavaClass type) {
        String below = type.getPackageName().substring(ROOT.length()).replaceFirst("^\\.", "");
        return MODULES.stream().flatMap(List::stream).filter(known -> (below + ".").startsWith(known + "."))
                .max(Comparator.comparingInt(String::length))
                .map(longest -> IntStream.range(0, MODULES.size())
                        .filter(each -> MODULES.get(each).contains(longest)).findFirst().getAsInt())
                .orElse(-1);
    }
}
