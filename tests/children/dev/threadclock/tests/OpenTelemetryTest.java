// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.TracedApplication;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The extension in OpenTelemetry's own Java agent, started as in docs/metrics.md: what a collector receives
 * about a web server equals what the server's threads read of themselves.
 */
class OpenTelemetryTest {
    private static final Path EXTENSION = Product.DIST.resolve("threadclock-opentelemetry.jar");
    private static final String VIRTUAL = "-Dotel.instrumentation.threadclock.virtual-threads.enabled=true";
    private static final int WARM_UP = 4;
    private static final int REQUESTS = 6;
    private static final double PERCENT = 3;

    @TempDir
    Path folder;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, Long> usedByTrace = new HashMap<>();

    /** The oldest and the newest, because the agent's start takes seconds of CPU time. */
    static Stream<TestJdk> some() {
        return Stream.of(TestJdk.all().get(0), TestJdk.newest()).distinct();
    }

    private static TestJdk newest() {
        assumeTrue(TestJdk.newest().feature() >= 21, "no virtual threads");
        return TestJdk.newest();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("some")
    void spansHaveWhatThreadsUsed(TestJdk jdk) throws Exception {
        Map<String, Metric> metrics = serve(jdk, "platform");
        assertThat(metrics.keySet()).contains("threadclock.cpu.time", "threadclock.cpu.wait",
                "threadclock.threads");
        List<NumberDataPoint> times = metrics.get("threadclock.cpu.time").getSum().getDataPointsList();
        assertThat(times.stream().map(point -> text(point, "threadclock.kind")).collect(Collectors.toSet()))
                .containsAll(Set.of("java", "gc", "jit", "jvm", "native", "unseen"));
        double pools = times.stream()
                .filter(point -> text(point, "threadclock.group").matches("pool-\\d+-thread-\\*"))
                .mapToDouble(NumberDataPoint::getAsDouble).sum();
        assertThat(pools).isGreaterThan(sum(usedByTrace.values().stream()) / 1e9 * (1 - PERCENT / 100));
    }

    @Test
    void spansHaveWhatVirtualThreadsUsed() throws Exception {
        serve(newest(), "virtual");
    }

    /** The agent opens a scope on the carrier and another one on the thread that is mounted there. */
    @Test
    void spansOfPlatformThreadsCountTheirVirtualHelpersOnce() throws Exception {
        serve(newest(), "mixed");
    }

    @Test
    void virtualThreadsThatAreNotAccountedForHaveNoTime() throws Exception {
        try (OtlpSink sink = new OtlpSink()) {
            Running server = start(newest(), sink, List.of(), "virtual");
            get(server, "/work", "1".repeat(32));
            Map<String, AnyValue> attributes = await(server, sink, span -> true, 1).values().iterator()
                    .next();
            end(server);
            assertThat(attributes.get("threadclock.cpu.partial").getBoolValue()).isTrue();
            assertThat(attributes).doesNotContainKeys("threadclock.cpu.user_ns", "threadclock.cpu.system_ns",
                    "threadclock.cpu.total_ns");
        }
    }

    /** After many requests, each span is right and their sum is the process's time. Returns the metrics. */
    private Map<String, Metric> serve(TestJdk jdk, String threads) throws Exception {
        boolean isVirtual = !threads.equals("platform");
        try (OtlpSink sink = new OtlpSink()) {
            Running server = start(jdk, sink, isVirtual ? List.of(VIRTUAL) : List.of(),
                    isVirtual ? new String[]{threads} : new String[0]);
            for (int i = 0; i < WARM_UP; i++) {
                get(server, "/work", trace(1 + i));
            }
            long before = get(server, "/process", trace(1 + WARM_UP));
            for (int i = 0; i < REQUESTS; i++) {
                String trace = trace(1000 + i);
                usedByTrace.put(trace, get(server, "/work", trace));
            }
            long process = get(server, "/process", trace(2 + WARM_UP)) - before;
            Map<String, Map<String, AnyValue>> spans = await(server, sink, usedByTrace::containsKey,
                    REQUESTS);
            end(server);
            assertThat(spans.keySet()).isEqualTo(usedByTrace.keySet());
            spans.forEach((trace, attributes) -> {
                long total = attributes.get("threadclock.cpu.total_ns").getIntValue();
                long user = attributes.get("threadclock.cpu.user_ns").getIntValue();
                long system = attributes.get("threadclock.cpu.system_ns").getIntValue();
                assertThat(attributes.get("threadclock.cpu.partial").getBoolValue()).isFalse();
                assertThat(user).isNotNegative();
                assertThat(system).isNotNegative();
                assertThat(total).isGreaterThanOrEqualTo(user + system)
                        .isGreaterThanOrEqualTo(usedByTrace.get(trace));
            });
            long spent = sum(spans.values().stream()
                    .map(attributes -> attributes.get("threadclock.cpu.total_ns").getIntValue()));
            long used = sum(usedByTrace.values().stream());
            System.out.printf("  %s %s: threads used %,d ns, spans have %,d, process %,d%n", jdk,
                    threads, used, spent, process);
            assertThat(spent).isCloseTo(used, withinPercentage(PERCENT));
            if (!isVirtual) { // else the process has their scheduler, too
                assertThat(spent).isCloseTo(process, withinPercentage(PERCENT));
            }
            return sink.metrics();
        }
    }

    /** Its agent then calls no extension of our kind but the one that says so. */
    @Test
    void aDeclarativeConfigurationWithoutThreadclockIsWarnedOf() throws Exception {
        Path file = Files.writeString(folder.resolve("otel.yaml"), "file_format: \"1.0\"\n");
        String err = withAgent(newest()).with("-Dotel.config.file=" + file).run(Hello.class).err();
        assertThat(err).contains("threadclock reports nothing", "otel.config.file=" + file);
    }

    /**
     * The block of docs/metrics.md, and what exports: unsampled requests have no span, but count. Metrics are
     * exported before the tracer provider is made, as they are on a slow machine.
     */
    @Test
    void aDeclarativeConfigurationIsObeyed() throws Exception {
        String documented = Files.readString(Product.ROOT.resolve("docs/metrics.md"))
                .split("```yaml\ntracer_provider:\n")[1].split("```")[0];
        try (OtlpSink sink = new OtlpSink()) {
            Path file = Files.writeString(folder.resolve("otel.yaml"), "file_format: \"1.0\"\n"
                    + "propagator:\n  composite:\n    - tracecontext:\n    - baggage:\n"
                    + "tracer_provider:\n" + documented
                    + "    - simple:\n        exporter:\n          otlp_http:\n            timeout: 60000\n"
                    + "            endpoint: " + sink.endpoint() + "/v1/traces\n"
                    + "meter_provider:\n  readers:\n    - periodic:\n        interval: 50\n"
                    + "        exporter:\n          otlp_http:\n            endpoint: "
                    + sink.endpoint() + "/v1/metrics\n");
            Running server = withAgent(newest()).with("-Dotel.config.file=" + file,
                    "-Dotel.javaagent.logging=none").start(TracedApplication.class, List.of());
            get(server, "/work", trace(1), "01", "other"); // the first request loads what exports it
            long used = get(server, "/work", trace(1000)) + get(server, "/work", trace(1001), "00", "acme");
            await(server, sink, trace(1000)::equals, 1);
            end(server);
            assertThat(served(sink, trace(1000)::equals).values()).singleElement().satisfies(
                    attributes -> assertThat(attributes).containsKey("threadclock.cpu.total_ns"));
            assertThat(served(sink, trace(1001)::equals)).isEmpty();
            assertThat(sink.metrics()).containsKeys("threadclock.cpu.time", "threadclock.threads");
            double acme = sink.metrics().get("threadclock.key.cpu.time").getSum().getDataPointsList().stream()
                    .filter(point -> text(point, "threadclock.key").equals("acme"))
                    .mapToDouble(NumberDataPoint::getAsDouble).sum();
            // Both requests, and what the agent does for them.
            assertThat(acme).isBetween(used / 1e9 * 0.999, used / 1e9 * 1.5);
        }
    }

    private ChildJvm withAgent(TestJdk jdk) throws Exception {
        Path agent = Product.origin(Class.forName("io.opentelemetry.javaagent.OpenTelemetryAgent"));
        Files.copy(agent, folder.resolve("opentelemetry-javaagent.jar"));
        Files.copy(EXTENSION, folder.resolve(EXTENSION.getFileName()));
        return ChildJvm.of(jdk).under("env", "--chdir=" + folder).with(documented())
                .withClassPath(Product.JAR).withNativeAccess();
    }

    private Running start(TestJdk jdk, OtlpSink sink, List<String> more, String... args) throws Exception {
        return withAgent(jdk).with(more)
                .with("-Dotel.exporter.otlp.endpoint=" + sink.endpoint(), "-Dotel.logs.exporter=none",
                        "-Dotel.exporter.otlp.protocol=http/protobuf", "-Dotel.javaagent.logging=none",
                        "-Dotel.metric.export.interval=500", "-Dotel.bsp.schedule.delay=500",
                        "-Dotel.exporter.otlp.timeout=60000")
                .start(TracedApplication.class, List.of(args));
    }

    /** The flags of the first command in that section of docs/metrics.md. */
    private static String[] documented() throws IOException {
        String section = Files.readString(Product.ROOT.resolve("docs/metrics.md"))
                .split("\n## OpenTelemetry\n")[1];
        String command = section.split("```(sh)?\n", 3)[1].replace("\\\n", "");
        assertThat(command).startsWith("java ").endsWith(" -jar app.jar\n");
        return Arrays.stream(command.split("\\s+")).filter(word -> word.startsWith("-javaagent")
                || word.startsWith("-D")).toArray(String[]::new);
    }

    private static String trace(int number) {
        return String.format("%032x", number);
    }

    private long get(Running server, String path, String trace) throws Exception {
        return get(server, path, trace, "01", "acme");
    }

    /** With these flags of the trace ("00" is unsampled), of this tenant. */
    private long get(Running server, String path, String trace, String flags, String tenant)
            throws Exception {
        server.awaitOutput("\n");
        String port = Files.readString(server.out()).strip().replace("port=", "");
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("traceparent", "00-" + trace + "-00000000000000ff-" + flags)
                .header("baggage", "tenant.id=" + tenant).build();
        return Long.parseLong(client.send(request, BodyHandlers.ofString()).body());
    }

    /** At its end the agent exports for 10 s at most, which are over soon on a busy machine. */
    private static Map<String, Map<String, AnyValue>> await(Running server, OtlpSink sink,
            Predicate<String> traces, int count) {
        server.await("spans", () -> served(sink, traces).size() >= count);
        return served(sink, traces);
    }

    private void end(Running server) throws Exception {
        get(server, "/end", trace(9999));
        server.end().exits(0);
    }

    /** The attributes of the server's spans in these traces. */
    private static Map<String, Map<String, AnyValue>> served(OtlpSink sink, Predicate<String> traces) {
        Map<String, Map<String, AnyValue>> served = new HashMap<>();
        for (Span span : new ArrayList<>(sink.spans())) {
            String trace = HexFormat.of().formatHex(span.getTraceId().toByteArray());
            if (span.getKind() == Span.SpanKind.SPAN_KIND_SERVER && traces.test(trace)) {
                assertThat(served.put(trace, OtlpSink.attributes(span.getAttributesList()))).isNull();
            }
        }
        return served;
    }

    private static String text(NumberDataPoint point, String attribute) {
        return OtlpSink.attributes(point.getAttributesList()).get(attribute).getStringValue();
    }

    private static long sum(Stream<Long> nanos) {
        return nanos.mapToLong(Long::longValue).sum();
    }
}
