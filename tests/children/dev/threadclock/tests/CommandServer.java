// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.command.Main;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One JVM that runs many commands of the command line, one after the other, because to start a JVM takes
 * longer than most commands do. It ends with the tests.
 */
final class CommandServer {
    private static final long LIMIT_NANOS = Duration.ofMinutes(5).toNanos();
    private static CommandServer running;

    private final Process process;
    private final DataOutputStream requests;
    private final Path statuses;
    private final Path out;
    private final Path err;
    private long answered;
    private int outRead;
    private int errRead;

    /** The other side. Argument: the file for the exit statuses. */
    public static void main(String[] args) throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        try (DataOutputStream statuses = new DataOutputStream(new FileOutputStream(args[0]))) {
            for (int words; (words = in.read()) >= 0;) {
                String[] command = new String[words];
                for (int i = 0; i < words; i++) {
                    command[i] = in.readUTF();
                }
                int status = Main.run(command);
                Terminal.stdout().stream().flush();
                statuses.writeInt(status);
            }
        }
    }

    private CommandServer() throws IOException {
        statuses = Files.createTempFile("commands-", ".status");
        out = Files.createTempFile("commands-", ".out");
        err = Files.createTempFile("commands-", ".err");
        List<String> quietly = Runtime.version().feature() >= 24
                ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
        List<String> command = ChildJvm.words(AttachJvm.QUICKLY, quietly, "-cp",
                Product.JAR + ":" + Product.origin(CommandServer.class), CommandServer.class.getName(),
                statuses);
        process = ChildProcess.of(command).redirectOutput(out.toFile()).redirectError(err.toFile())
                .start();
        requests = new DataOutputStream(process.getOutputStream());
        for (Path file : List.of(statuses, out, err)) {
            file.toFile().deleteOnExit();
        }
    }

    /** Runs a command and returns what it has printed, and its exit status. */
    static synchronized Result run(List<String> words) {
        try {
            if (running == null || !running.process.isAlive()) {
                running = new CommandServer();
            }
            return running.ask(words);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static synchronized String pid() {
        return Long.toString(running.process.pid());
    }

    private Result ask(List<String> words) throws IOException {
        requests.writeByte(words.size());
        for (String word : words) {
            requests.writeUTF(word);
        }
        requests.flush();
        answered++;
        for (long began = System.nanoTime(); Files.size(statuses) < answered * Integer.BYTES; AttachJvm
                .sleep(1)) {
            if (!process.isAlive() || System.nanoTime() - began > LIMIT_NANOS) {
                process.destroyForcibly();
                throw new AssertionError(
                        "no answer to " + words + ": " + Files.readString(out).substring(outRead)
                                + Files.readString(err).substring(errRead));
            }
        }
        String outText = Files.readString(out);
        String errText = Files.readString(err);
        byte[] all = Files.readAllBytes(statuses);
        Result result = new Result(words, all[all.length - 1], outText.substring(outRead),
                errText.substring(errRead));
        outRead = outText.length();
        errRead = errText.length();
        return result;
    }
}
