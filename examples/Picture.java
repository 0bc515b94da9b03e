// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Draws the first table of a result file as stacked bars in SVG. The first line is the title, the second has
 * the names of the parts, and each further line up to an empty one is a bar with its name and the parts'
 * values. Two or more blanks separate columns.
 *
 * <p>How to run: {@code java examples/Picture.java lab/results/X.txt >docs/images/X.svg}
 */
public final class Picture {
    private static final int WIDTH = 760;
    private static final int LEFT = 200;
    private static final int RIGHT = 70;
    private static final int BAR = 24;
    private static final int ROW = 38;
    private static final int TOP = 74;
    /** The colours of each part on a light and on a dark page. */
    private static final String[][] COLOURS = {{"#2a78d6", "#3987e5"}, {"#eb6834", "#d95926"},
        {"#1baf7a", "#199e70"}, {"#b8b6ad", "#55544f"}};

    private record Bar(String name, double[] parts) {
        double length() {
            return Arrays.stream(parts).sum();
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: java examples/Picture.java RESULT_FILE");
            System.exit(2);
        }
        List<String> lines = Files.readAllLines(Path.of(args[0]));
        String[] parts = columns(lines.get(1));
        List<Bar> bars = new ArrayList<>();
        for (int i = 2; i < lines.size() && !lines.get(i).isBlank(); i++) {
            String[] row = columns(lines.get(i));
            bars.add(new Bar(row[0],
                    Arrays.stream(row).skip(1).limit(parts.length).mapToDouble(Double::parseDouble)
                            .toArray()));
        }
        System.out.print(picture(lines.get(0), parts, bars));
    }

    private static String[] columns(String line) {
        return line.strip().split(" {2,}");
    }

    private static String picture(String title, String[] parts, List<Bar> bars) {
        double longest = bars.stream().mapToDouble(Bar::length).max().orElseThrow();
        double scale = (WIDTH - LEFT - RIGHT) / longest;
        StringBuilder svg = new StringBuilder();
        add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
                + " aria-label=\"%s\">%n",
                WIDTH, TOP + ROW * bars.size(), escape(title));
        svg.append(style());
        add(svg, "<text class=\"title\" x=\"8\" y=\"24\">%s</text>%n", escape(title));
        int x = 8;
        for (int i = 0; i < parts.length; i++) {
            add(svg, "<rect class=\"p%d\" x=\"%d\" y=\"40\" width=\"12\" height=\"12\"/>", i, x);
            add(svg, "<text x=\"%d\" y=\"51\">%s</text>%n", x + 18, escape(parts[i]));
            x += 40 + 8 * parts[i].length();
        }
        for (int i = 0; i < bars.size(); i++) {
            draw(svg, bars.get(i), TOP + ROW * i, scale);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, Bar bar, int y, double scale) {
        add(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", LEFT - 10, y + 17,
                escape(bar.name));
        double x = LEFT;
        for (int i = 0; i < bar.parts.length; i++) {
            double width = bar.parts[i] * scale;
            add(svg, "<rect class=\"p%d\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n", i, x, y,
                    width, BAR);
            x += width;
        }
        add(svg, "<text x=\"%.1f\" y=\"%d\">%.2f</text>%n", x + 6, y + 17, bar.length());
    }

    private static String style() {
        StringBuilder light = new StringBuilder("text { font: 14px sans-serif; fill: #1c1c1a }"
                + " .title { font-weight: bold }");
        StringBuilder dark = new StringBuilder("text { fill: #e8e6dd }");
        IntStream.range(0, COLOURS.length).forEach(i -> {
            light.append(" .p").append(i).append(" { fill: ").append(COLOURS[i][0]).append(" }");
            dark.append(" .p").append(i).append(" { fill: ").append(COLOURS[i][1]).append(" }");
        });
        return "<style>" + light + " @media (prefers-color-scheme: dark) { " + dark + " }</style>\n";
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
