// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A collector of OpenTelemetry's protocol (OTLP over HTTP) that keeps everything it receives. */
final class OtlpSink implements AutoCloseable {
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private final List<Metric> metrics = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    private interface Parser {
        void parse(HttpExchange exchange) throws IOException;
    }

    OtlpSink() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receive("/v1/traces", exchange -> ExportTraceServiceRequest.parseFrom(exchange.getRequestBody())
                .getResourceSpansList().stream().flatMap(resource -> resource.getScopeSpansList().stream())
                .forEach(scope -> spans.addAll(scope.getSpansList())));
        receive("/v1/metrics", exchange -> ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody())
                .getResourceMetricsList().stream()
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .filter(scope -> scope.getScope().getName().equals("dev.threadclock"))
                .forEach(scope -> metrics.addAll(scope.getMetricsList())));
        server.start();
    }

    private void receive(String path, Parser parser) {
        server.createContext(path, exchange -> {
            parser.parse(exchange);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Span> spans() {
        return spans;
    }

    /** The last export of each metric. */
    Map<String, Metric> metrics() {
        return metrics.stream()
                .collect(Collectors.toMap(Metric::getName, metric -> metric, (one, next) -> next));
    }

    static Map<String, AnyValue> attributes(List<KeyValue> of) {
        return of.stream().collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
