// SPDX-License-Identifier: Apache-2.0
package web; // as the folder: from JDK 22 on `java FILE` insists on it

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.ThreadClock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A web service of Spring Boot whose slowest endpoint is not the one that needs the CPUs. Its meters have the
 * CPU time of each endpoint only because threadclock-micrometer is on the class path. The code below reads
 * clocks only for the work of the endpoints and the output at the end. Two beans attribute the CPU time to
 * tenants, which a header of the request names.
 *
 * <p>Arguments: the seconds of load, and the port (default: any), at which Prometheus finds the metrics in
 * {@code /actuator/prometheus}. {@code examples/web/run} runs it.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class WebService {
    private static final int CLIENTS = 4;
    private static volatile int result;

    /** Has its meters because it is a bean. */
    @Bean
    static CpuAttribution tenants() {
        return new CpuAttribution("tenant");
    }

    /** Each request counts for the tenant that its header names. */
    @Bean
    static Filter attribution(CpuAttribution tenants) {
        return (request, response, chain) -> {
            String tenant = ((HttpServletRequest) request).getHeader("X-Tenant");
            try (CpuAttribution.Scope scope = tenants.open(tenant)) {
                chain.doFilter(request, response);
            }
        };
    }

    /** Answers from memory. */
    @GetMapping("/price")
    String price() {
        return compute(100_000);
    }

    /** Computes for 10 ms. */
    @GetMapping("/report")
    String report() {
        return compute(10_000_000);
    }

    /** Waits 50 ms, as for a database. */
    @GetMapping("/order")
    String order() throws InterruptedException {
        Thread.sleep(50);
        return compute(300_000);
    }

    private static String compute(long nanos) {
        long end = ThreadClock.totalNowNanos() + nanos;
        while (ThreadClock.totalNowNanos() < end) {
            for (int i = 0; i < 10_000; i++) {
                result = result * 31 + i;
            }
        }
        return Integer.toString(result);
    }

    /** An endpoint's meters since the start. */
    private record Endpoint(String uri, long requests, double elapsedSeconds, double userSeconds,
            double systemSeconds) {
        static Endpoint of(MeterRegistry registry, String uri) {
            Timer elapsed = registry.get("http.server.requests").tag("uri", uri).timer();
            return new Endpoint(uri, elapsed.count(), elapsed.totalTime(TimeUnit.SECONDS),
                    cpu(registry, uri, "user"), cpu(registry, uri, "system"));
        }

        private static double cpu(MeterRegistry registry, String uri, String mode) {
            return registry.get("http.server.requests.cpu").tag("uri", uri).tag("cpu.mode", mode).timer()
                    .totalTime(TimeUnit.SECONDS);
        }

        Endpoint minus(Endpoint earlier) {
            return new Endpoint(uri, requests - earlier.requests, elapsedSeconds - earlier.elapsedSeconds,
                    userSeconds - earlier.userSeconds, systemSeconds - earlier.systemSeconds);
        }

        double cpuSeconds() {
            return userSeconds + systemSeconds;
        }

        String millis(double seconds) {
            return String.format(Locale.ROOT, "%.2f", seconds * 1000 / requests);
        }
    }

    public static void main(String[] args) throws Exception {
        int seconds = Integer.parseInt(args[0]);
        SpringApplication application = new SpringApplication(WebService.class);
        application.setRegisterShutdownHook(false); // Ctrl-C just ends it, even before the result
        ServletWebServerApplicationContext context = (ServletWebServerApplicationContext) application.run(
                "--server.address=127.0.0.1", "--server.port=" + (args.length > 1 ? args[1] : 0),
                "--management.endpoints.web.exposure.include=prometheus", "--spring.main.banner-mode=off",
                "--logging.level.root=warn");
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        String site = "http://127.0.0.1:" + context.getWebServer().getPort();
        load(site, 3); // until everything is compiled
        List<Endpoint> before = endpoints(registry);
        long serversBefore = serverNanos();
        load(site, seconds);
        long servers = serverNanos() - serversBefore;
        List<Endpoint> endpoints = new ArrayList<>();
        for (Endpoint endpoint : endpoints(registry)) {
            endpoints.add(endpoint.minus(before.get(endpoints.size())));
        }
        Map<String, CpuSnapshot> tenants = context.getBean(CpuAttribution.class).read();
        context.close();
        print(endpoints, seconds, servers / 1e9);
        System.out.printf("%nWhich tenant used the CPU%n%-20s%12s%n", "", "CPU seconds");
        tenants.forEach((tenant, used) -> System.out.printf(Locale.ROOT, "%-20s%12.2f%n", tenant,
                used.totalNanos() / 1e9));
    }

    private static List<Endpoint> endpoints(MeterRegistry registry) {
        return List.of(Endpoint.of(registry, "/price"), Endpoint.of(registry, "/order"),
                Endpoint.of(registry, "/report"));
    }

    /** The CPU time of all threads that serve requests. */
    private static long serverNanos() {
        return CpuAccount.read(Duration.ZERO).groups().stream()
                .filter(group -> group.kind() == CpuGroup.Kind.JAVA
                        && group.name().matches("http-nio-.*-exec-.*"))
                .mapToLong(group -> group.times().totalNanos()).sum();
    }

    private static void load(String site, int seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(() -> {
                while (System.nanoTime() < end) {
                    for (String path : List.of("/price", "/order", "/price", "/price", "/report", "/price")) {
                        get(site + path, path.equals("/report") ? "acme" : "umbrella");
                    }
                }
            }, "client-" + i);
            clients.add(client);
            client.start();
        }
        for (Thread client : clients) {
            client.join();
        }
    }

    private static void get(String url, String tenant) {
        try {
            URLConnection connection = URI.create(url).toURL().openConnection();
            connection.setRequestProperty("X-Tenant", tenant);
            try (InputStream in = connection.getInputStream()) {
                in.readAllBytes();
            }
        } catch (IOException e) {
            throw new IllegalStateException(url, e);
        }
    }

    private static void print(List<Endpoint> endpoints, int seconds, double serverSeconds) {
        double cpuSeconds = endpoints.stream().mapToDouble(Endpoint::cpuSeconds).sum();
        System.out.println("Where the time of a request goes (means in milliseconds)");
        System.out.printf("%-10s%10s%10s%20s%n", "", "user", "system", "does not compute");
        for (Endpoint each : endpoints) {
            System.out.printf("%-10s%10s%10s%20s%n", each.uri, each.millis(each.userSeconds),
                    each.millis(each.systemSeconds),
                    each.millis(Math.max(0, each.elapsedSeconds - each.cpuSeconds())));
        }
        System.out.printf("%n%-10s%10s%10s%20s%18s%n", "", "requests", "mean, ms", "of all elapsed time",
                "of all CPU time");
        double elapsedSeconds = endpoints.stream().mapToDouble(Endpoint::elapsedSeconds).sum();
        for (Endpoint each : endpoints) {
            System.out.printf(Locale.ROOT, "%-10s%10d%10s%18.1f %%%16.1f %%%n", each.uri, each.requests,
                    each.millis(each.elapsedSeconds), 100 * each.elapsedSeconds / elapsedSeconds,
                    100 * each.cpuSeconds() / cpuSeconds);
        }
        System.out.printf(Locale.ROOT,
                "%nThe endpoints used %.2f CPUs, %.1f %% of what the server's threads used:"
                        + " the rest is spent before and%nafter a request's observation.%n",
                cpuSeconds / seconds, 100 * cpuSeconds / serverSeconds);
    }
}
