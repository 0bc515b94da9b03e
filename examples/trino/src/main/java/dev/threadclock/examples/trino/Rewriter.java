// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;

/** Writes changed copies of two classes: one counts reads, the other reads user time for each operator. */
final class Rewriter {
    private static final String READS = Reads.class.getName().replace('.', '/');
    private static final Map<String, String> KINDS = Map.of(
            "getCurrentThreadUserTime", "user", "getThreadUserTime", "user",
            "getCurrentThreadCpuTime", "total", "getThreadCpuTime", "total");

    /** Makes the JDK's ThreadImpl count its calls: {@code --patch-module java.management=into}. */
    static void countReads(Path javaHome, Path into) throws IOException {
        byte[] original;
        try (FileSystem jdk = FileSystems.newFileSystem(URI.create("jrt:/"),
                Map.of("java.home", javaHome.toString()))) {
            original = Files
                    .readAllBytes(jdk.getPath("/modules/java.management/sun/management/ThreadImpl.class"));
        }
        int changed = rewrite(original, into.resolve("sun/management/ThreadImpl.class"),
                method -> KINDS.containsKey(method.name) && (method.access & ACC_PUBLIC) != 0
                        ? new MethodVisitor(ASM9, method.next) {
                            @Override
                            public void visitCode() {
                                super.visitCode();
                                method.changes[0]++;
                                super.visitLdcInsn(KINDS.get(method.name));
                                super.visitMethodInsn(INVOKESTATIC, READS, "count", "(Ljava/lang/String;)V",
                                        false);
                            }
                        } : method.next);
        // Two for the caller, two by id. (Those by array are protected here, and Trino calls none.)
        require(changed == 4,
                "ThreadImpl of " + javaHome + " has " + changed + " methods that read CPU time, not 4");
    }

    /** Makes Trino's OperationTimer get its total times from {@link Reads#begin} and {@link Reads#end}. */
    static void userPerOperator(Path libraries, Path into) throws IOException {
        String name = "io/trino/operator/OperationTimer.class";
        int changed = rewrite(entry(libraries, name), into.resolve(name),
                method -> new MethodVisitor(ASM9, method.next) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String called, String descriptor,
                            boolean isInterface) {
                        if (called.equals("currentThreadCpuTime")) {
                            method.changes[0]++;
                            super.visitMethodInsn(INVOKESTATIC, READS,
                                    method.name.equals("<init>") ? "begin" : "end",
                                    descriptor, false);
                        } else {
                            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
                        }
                    }
                });
        require(changed >= 3,
                "Trino's OperationTimer reads total time at " + changed + " places, not 3 or more");
    }

    private record Method(String name, int access, MethodVisitor next, int[] changes) {}

    private static int rewrite(byte[] original, Path file, Function<Method, MethodVisitor> change)
            throws IOException {
        int[] changes = {0};
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(original).accept(new ClassVisitor(ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                return change.apply(new Method(name, access, next, changes));
            }
        }, 0);
        Files.createDirectories(file.getParent());
        Files.write(file, writer.toByteArray());
        return changes[0];
    }

    private static byte[] entry(Path libraries, String name) throws IOException {
        try (Stream<Path> jars = Files.list(libraries)) {
            for (Path jar : jars
                    .filter(path -> path.getFileName().toString().matches("trino-main-\\d+\\.jar"))
                    .toList()) {
                try (FileSystem zip = FileSystems.newFileSystem(jar)) {
                    return Files.readAllBytes(zip.getPath(name));
                }
            }
        }
        throw new IOException("no trino-main-*.jar in " + libraries);
    }

    /** Writes the class that both of them call: {@code -Xbootclasspath/a:into}. */
    static void bootClasses(Path classes, Path into) throws IOException {
        Path folder = Path.of(Reads.class.getPackageName().replace('.', '/'));
        Files.createDirectories(into.resolve(folder));
        for (String name : List.of("Reads.class", "Reads$Bean.class")) {
            Files.write(into.resolve(folder).resolve(name),
                    Files.readAllBytes(classes.resolve(folder).resolve(name)));
        }
    }

    private static void require(boolean condition, String otherwise) throws IOException {
        if (!condition) {
            throw new IOException(otherwise);
        }
    }
}
