// SPDX-License-Identifier: Apache-2.0
package application;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application that does not know of threadclock. It scrapes itself as Prometheus would, and ends. */
@SpringBootApplication
@RestController
public class Application {
    @GetMapping("/hello")
    public String hello() {
        return "hello";
    }

    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
            String site = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
            print(site + "/hello");
            print(site + "/actuator/prometheus");
        }
    }

    private static void print(String address) throws Exception {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new URL(address).openStream(), "UTF-8"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println(line);
            }
        }
    }
}
