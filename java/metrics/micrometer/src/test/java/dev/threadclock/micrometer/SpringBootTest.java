// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuTasks;
import dev.threadclock.VirtualThreads;
import dev.threadclock.tests.shared.Work;
import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A web application of Spring Boot with its actuator, as a Prometheus server sees it. */
class SpringBootTest {
    private static final long WORK_MILLIS = 100;
    private static final int REQUESTS = 30;
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {
        @GetMapping("/burn/{millis}")
        String burn(@PathVariable("millis") long millis) {
            return Long.toString(Work.burn(TimeUnit.MILLISECONDS.toNanos(millis)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {
        @Bean
        ThreadClockMetrics own() {
            return new ThreadClockMetrics(Tags.of("own", "yes"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Tenants {
        @Bean
        CpuAttribution tenants() {
            return new CpuAttribution("tenant");
        }
    }

    /** A running application. */
    private static final class Site implements AutoCloseable {
        private final ConfigurableApplicationContext context;

        Site(List<Class<?>> beans, String... properties) {
            List<String> arguments = new ArrayList<>(List.of("--server.port=0",
                    "--management.endpoints.web.exposure.include=prometheus",
                    "--spring.main.banner-mode=off", "--logging.level.root=warn"));
            arguments.addAll(List.of(properties));
            context = SpringApplication.run(beans.toArray(new Class<?>[0]),
                    arguments.toArray(new String[0]));
        }

        String get(String path) throws IOException {
            String port = context.getEnvironment().getProperty("local.server.port");
            URL url = URI.create("http://127.0.0.1:" + port + path).toURL();
            try (InputStream in = url.openStream()) {
                return new String(in.readAllBytes());
            }
        }

        List<String> scrape() throws IOException {
            return get("/actuator/prometheus").lines().toList();
        }

        @Override
        public void close() {
            context.close();
        }
    }

    private static double sum(List<String> scrape, String series) {
        return scrape.stream().filter(line -> line.matches(series + " .*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    /** What Prometheus would compute with increase(). */
    private record Increase(List<String> from, List<String> to) {
        double of(String series) {
            return sum(to, series) - sum(from, series);
        }

        double ofRequests() {
            return of("http_server_requests_cpu_seconds_sum\\{.*uri=\"/burn/.*");
        }

        double ofPool() {
            return of("threadclock_cpu_time_seconds_total\\{.*group=\"http-nio-auto-\\*-exec-\\*\".*");
        }

        /** What the process used but for the JVM's own threads and the client. */
        double ofServer() {
            return of("threadclock_cpu_time_seconds_total\\{.*")
                    - of("threadclock_cpu_time_seconds_total\\{.*kind=\"(jit|gc|jvm|unseen)\".*")
                    - of("threadclock_cpu_time_seconds_total\\{.*group=\"main\".*");
        }
    }

    private static Increase ofRequests(Site site, long workMillis) throws Exception {
        List<String> from = site.scrape();
        for (int i = 0; i < REQUESTS; i++) {
            site.get("/burn/" + workMillis);
        }
        TimeUnit.MILLISECONDS.sleep(150); // the account of the next scrape is a new one
        return new Increase(from, site.scrape());
    }

    /**
     * What a request costs outside its observation depends on the machine's load, because code stays
     * interpreted as long as the compiler gets no CPU: requests without work show it.
     */
    @Test
    void requestsAddUpToWhatTheProcessUsed() throws Exception {
        try (Site site = new Site(List.of(Application.class))) {
            ofRequests(site, WORK_MILLIS / 10); // warm-up: loads and compiles classes
            Increase control = ofRequests(site, 0);
            Increase increase = ofRequests(site, WORK_MILLIS);
            double requests = increase.ofRequests();
            assertThat(requests).as("the requests' own clocks")
                    .isGreaterThanOrEqualTo(REQUESTS * WORK_MILLIS / 1e3 * 0.999);
            assertAddUp(requests, increase.ofServer(), control.ofServer() - control.ofRequests());
            assertAddUp(requests, increase.ofPool(), control.ofPool() - control.ofRequests());
            double count = increase
                    .of("http_server_requests_cpu_seconds_count\\{cpu_mode=\"user\".*uri=\"/burn/.*");
            assertThat(count).isEqualTo(REQUESTS);
            double user = increase.of("http_server_requests_cpu_seconds_sum\\{cpu_mode=\"user\".*burn.*");
            double system = increase.of("http_server_requests_cpu_seconds_sum\\{cpu_mode=\"system\".*burn.*");
            assertThat(user + system).isCloseTo(requests, within(1e-6));
            assertThat(user).as("of a loop that asks the kernel for its clock").isPositive();
            assertThat(system).isNotNegative();
            assertThat(increase.to()).noneMatch(line -> line.startsWith("threadclock_observations_partial"));
            assertThat(increase.to()).anyMatch(line -> line.startsWith("threadclock_threads{"));
        }
    }

    @Test
    void anAttributionOfTheApplicationIsReported() throws Exception {
        try (Site site = new Site(List.of(Application.class, Tenants.class))) {
            CpuTasks acme = site.context.getBean(CpuAttribution.class).of("acme");
            long burnt = acme.measure(() -> Work.burn(TimeUnit.MILLISECONDS.toNanos(WORK_MILLIS)));
            site.scrape(); // may see it too late
            List<String> scrape = site.scrape();
            assertThat(sum(scrape, "threadclock_key_cpu_time_seconds_total\\{by=\"tenant\",.*key=\"acme\".*"))
                    .isCloseTo(burnt / 1e9, within(burnt / 1e9 / 10));
            assertThat(sum(scrape, "threadclock_key_cpu_time_seconds_total\\{.*"))
                    .isCloseTo(sum(scrape, "threadclock_cpu_time_seconds_total\\{.*"), within(1.0));
        }
    }

    private static void assertAddUp(double requests, double all, double outsideControl) {
        assertThat(requests).as("of %s s; %s s outside of as many requests without work", all, outsideControl)
                .isBetween(all * 0.97 - 3 * Math.max(0, outsideControl), all * 1.001);
    }

    /** Before JDK 21 there are none: requests run on platform threads, and the log reports that once. */
    @Test
    void aPropertyAccountsForVirtualThreads() throws Exception {
        List<String> logged = new ArrayList<>();
        LOGGER.setFilter(line -> logged.add(line.getMessage()));
        try (Site site = new Site(List.of(Application.class), "--spring.threads.virtual.enabled=true",
                "--management.metrics.threadclock.virtual-threads.enabled=true")) {
            site.get("/burn/1");
            assertThat(site.scrape())
                    .anyMatch(line -> line.matches("http_server_requests_cpu_seconds_count\\{.*/burn/.*"))
                    .noneMatch(line -> line.startsWith("threadclock_observations_partial"));
            if (Runtime.version().feature() >= 21) {
                assertThat(VirtualThreads.isAccounting()).isTrue();
                assertThat(logged).isEmpty();
            } else {
                assertThat(logged).singleElement().asString()
                        .startsWith("no CPU time of virtual threads: ");
            }
        } finally {
            LOGGER.setFilter(null);
            assertThat(VirtualThreads.isAccounting()).isFalse(); // the application has ended
        }
    }

    @Test
    void aPropertySwitchesAllOff() throws Exception {
        try (Site site = new Site(List.of(Application.class),
                "--management.metrics.threadclock.enabled=false")) {
            site.get("/burn/1");
            assertThat(site.scrape()).anyMatch(line -> line.startsWith("http_server_requests_seconds_sum"))
                    .noneMatch(line -> line.contains("threadclock_") || line.contains("_cpu_seconds_sum"));
        }
    }

    @Test
    void aPropertySwitchesObservationsOffAndTheApplicationsBinderReplacesOurs() throws Exception {
        try (Site site = new Site(List.of(Application.class, OwnBeans.class),
                "--management.metrics.threadclock.observations.enabled=false")) {
            site.get("/burn/1");
            assertThat(site.scrape()).noneMatch(line -> line.contains("_cpu_seconds_sum"))
                    .filteredOn(line -> line.startsWith("threadclock_")).isNotEmpty()
                    .allMatch(line -> line.contains("own=\"yes\""));
        }
    }
}
