// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * stdout or stderr, and the properties of the device at its other end: whether it is a terminal, whether
 * colour is wanted, how wide it is, and which characters it can show.
 */
public final class Terminal {
    private static final int USUAL_WIDTH = 80;
    private static final Terminal STDOUT = new Terminal(1, FileDescriptor.out);
    private static final Terminal STDERR = new Terminal(2, FileDescriptor.err);

    private final boolean watched;
    private final boolean unicode;
    private final PrintStream stream;
    private volatile IOException problem;

    private Terminal(int number, FileDescriptor descriptor) {
        watched = isTerminal(number) && !"dumb".equals(System.getenv("TERM"));
        unicode = locale().toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
        Charset charset = unicode ? StandardCharsets.UTF_8 : StandardCharsets.US_ASCII;
        stream = new PrintStream(new Noting(new FileOutputStream(descriptor)), true, charset);
    }

    /** Records write errors, which a PrintStream swallows. */
    private final class Noting extends FilterOutputStream {
        Noting(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[]{(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                problem = e;
                throw e;
            }
        }
    }

    public static Terminal stdout() {
        return STDOUT;
    }

    public static Terminal stderr() {
        return STDERR;
    }

    /** True if a user can type: stdin is a terminal. */
    public static boolean hasKeyboard() {
        return isTerminal(0);
    }

    public PrintStream stream() {
        return stream;
    }

    /** The last write error, if any. */
    public Optional<IOException> problem() {
        stream.flush();
        return Optional.ofNullable(problem);
    }

    /** Prints a line. Characters that the terminal's character set lacks are replaced by ASCII. */
    public void println(String line) {
        stream.println(plain(line));
    }

    public void print(String text) {
        stream.print(plain(text));
        stream.flush();
    }

    /** Whether output goes to a terminal, so that lines can be updated in place. */
    public boolean watched() {
        return watched;
    }

    /** Whether colours and bold text may be used. NO_COLOR (no-color.org) turns them off. */
    public boolean coloured() {
        return watched && System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
    }

    /** The number of columns of the terminal, queried at each call; 80 if there is none. */
    public int width() {
        int columns = size() & 0xffff;
        return columns > 0 ? columns : USUAL_WIDTH;
    }

    /** The number of rows of the terminal; 0 if there is none. */
    public int height() {
        return size() >>> 16;
    }

    /**
     * Rows and columns in 16 bits each, of the first of stdout, stderr and stdin that is a terminal; or 0.
     */
    private static int size() {
        return !SelfJar.terminalProblem().isEmpty() ? 0
                : IntStream.of(1, 2, 0).map(Terminal::size).filter(size -> size > 0).findFirst().orElse(0);
    }

    private static native int size(int descriptor);

    private String plain(String text) {
        if (unicode) {
            return text;
        }
        return text.replace('─', '-').replace('×', 'x').replace("µ", "u").replace('−', '-')
                .replace("…", "...").replace("·", "-");
    }

    private static boolean isTerminal(int number) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + number)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /** The locale in effect, in the order of precedence of locale(7). */
    private static String locale() {
        return Stream.of("LC_ALL", "LC_CTYPE", "LANG").map(name -> System.getenv().getOrDefault(name, ""))
                .filter(value -> !value.isEmpty()).findFirst().orElse("C");
    }
}
