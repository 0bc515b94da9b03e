// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.UNKNOWN;
import static dev.threadclock.tests.child.Transcript.line;
import static dev.threadclock.tests.child.Transcript.say;

import dev.threadclock.tests.child.Transcript.Worker;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import javax.management.Attribute;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Part of the contract: ThreadMXBean through the MBeanServer, through local and remote proxies, and from
 * another JVM. When this class is run as a program, it is that other JVM. Arguments: the address, and the id
 * of a thread there.
 */
public final class ContractJmx {
    static void run(String java) throws Exception {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        Worker worker = Worker.started("read by JMX");
        long id = worker.id();
        line("through", "the MBeanServer");
        server(ManagementFactory.getPlatformMBeanServer(), id);
        line("through", "a local proxy");
        proxy(ManagementFactory.getPlatformMBeanServer(), id);

        JMXConnectorServer connectors = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi://127.0.0.1"), null,
                ManagementFactory.getPlatformMBeanServer());
        connectors.start();
        line("through", "a connector");
        remote(connectors.getAddress(), id);
        line("through", "a connector from another JVM");
        Process other = new ProcessBuilder(java, "-Xmx64m", "-cp", System.getProperty("java.class.path"),
                ContractJmx.class.getName(),
                connectors.getAddress().toString(), String.valueOf(id)).redirectErrorStream(true).start();
        BufferedReader lines = new BufferedReader(
                new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8));
        for (String text; (text = lines.readLine()) != null;) {
            System.out.println(text);
        }
        line("the other JVM ends with", other.waitFor());
        connectors.stop();
        worker.end();
    }

    public static void main(String[] args) throws Exception {
        remote(new JMXServiceURL(args[0]), Long.parseLong(args[1]));
    }

    private static void remote(JMXServiceURL address, long id) throws Exception {
        try (JMXConnector connector = JMXConnectorFactory.connect(address)) {
            server(connector.getMBeanServerConnection(), id);
            proxy(connector.getMBeanServerConnection(), id);
        }
    }

    private static void server(MBeanServerConnection server, long id) throws Exception {
        ObjectName name = new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME);
        say("  attribute", () -> server.getAttribute(name, "CurrentThreadUserTime"));
        for (long asked : new long[]{id, UNKNOWN, 0, -1}) {
            String what = asked == id ? "the worker" : asked == UNKNOWN ? "unknown" : "id " + asked;
            say("  operation, " + what, () -> server.invoke(name, "getThreadUserTime", new Object[]{asked},
                    new String[]{"long"}));
            say("  operation, array with " + what, () -> server.invoke(name, "getThreadUserTime",
                    new Object[]{new long[]{id, asked}}, new String[]{"[J"}));
        }
        say("  operation, null",
                () -> server.invoke(name, "getThreadUserTime", new Object[]{null}, new String[]{"[J"}));
        say("  operation, no ids", () -> server.invoke(name, "getThreadUserTime", new Object[]{new long[0]},
                new String[]{"[J"}));
        server.setAttribute(name, new Attribute("ThreadCpuTimeEnabled", false));
        say("  attribute when disabled", () -> server.getAttribute(name, "CurrentThreadUserTime"));
        server.setAttribute(name, new Attribute("ThreadCpuTimeEnabled", true));
    }

    private static void proxy(MBeanServerConnection server, long id) throws Exception {
        com.sun.management.ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(server,
                ManagementFactory.THREAD_MXBEAN_NAME, com.sun.management.ThreadMXBean.class);
        say("  proxy, current", () -> threads.getCurrentThreadUserTime());
        line("  proxy, worker's value", Transcript.burnt(threads.getThreadUserTime(id)));
        line("  proxy, worker's value in an array",
                Transcript.burnt(threads.getThreadUserTime(new long[]{UNKNOWN, id})[1]));
        say("  proxy, unknown", () -> threads.getThreadUserTime(UNKNOWN));
        say("  proxy, id 0", () -> threads.getThreadUserTime(0));
        say("  proxy, array with id -1", () -> threads.getThreadUserTime(new long[]{id, -1}));
        say("  proxy, null", () -> threads.getThreadUserTime((long[]) null));
        threads.setThreadCpuTimeEnabled(false);
        say("  proxy, when disabled", () -> threads.getThreadUserTime(new long[]{id, UNKNOWN}));
        threads.setThreadCpuTimeEnabled(true);
    }
}
