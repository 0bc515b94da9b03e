// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Threads.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.threadclock.tests.child.Threads.Worker;
import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ThreadMXBean through the MBeanServer, and through local and remote proxies. */
@Tag("plain")
@Tag("agentpath")
@Tag("now")
@Tag("javaagent")
class JmxTest {
    private static Worker worker;
    private static JMXConnectorServer connectors;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        worker = Worker.started("read by JMX");
        connectors = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi://127.0.0.1"), null,
                ManagementFactory.getPlatformMBeanServer());
        connectors.start();
    }

    @AfterAll
    static void end() throws Exception {
        connectors.stop();
        worker.end();
    }

    @Test
    void throughTheMBeanServerAndAProxy() throws Exception {
        assertAnswers(ManagementFactory.getPlatformMBeanServer());
    }

    @Test
    void throughAConnector() throws Exception {
        try (JMXConnector connector = JMXConnectorFactory.connect(connectors.getAddress())) {
            assertAnswers(connector.getMBeanServerConnection());
        }
    }

    private static void assertAnswers(MBeanServerConnection server) throws Exception {
        assertServer(server, worker.id());
        assertProxy(server, worker.id());
    }

    private static void assertServer(MBeanServerConnection server, long id) throws Exception {
        ObjectName name = new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME);
        assertThat((long) server.getAttribute(name, "CurrentThreadUserTime")).isNotNegative();
        assertThat((long) one(server, name, id)).isNotNegative();
        assertThat((long) one(server, name, UNKNOWN)).isEqualTo(-1);
        Jvm.assertTimes(2, (long[]) array(server, name, id, id));
        long[] times = (long[]) array(server, name, id, UNKNOWN);
        assertThat(times[0]).isNotNegative();
        assertThat(times[1]).isEqualTo(-1);
        assertThat((long[]) array(server, name)).isEmpty();
        for (long wrong : new long[]{0, -1}) {
            assertThatThrownBy(() -> one(server, name, wrong)).isInstanceOf(RuntimeMBeanException.class)
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> array(server, name, id, wrong)).isInstanceOf(RuntimeMBeanException.class)
                    .hasCauseInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> array(server, name, (long[]) null)).isInstanceOf(RuntimeMBeanException.class)
                .hasCauseInstanceOf(NullPointerException.class);
        server.setAttribute(name, new Attribute("ThreadCpuTimeEnabled", false));
        try {
            assertThat((long) server.getAttribute(name, "CurrentThreadUserTime")).isEqualTo(-1);
        } finally {
            server.setAttribute(name, new Attribute("ThreadCpuTimeEnabled", true));
        }
    }

    private static Object one(MBeanServerConnection server, ObjectName name, long id) throws Exception {
        return server.invoke(name, "getThreadUserTime", new Object[]{id}, new String[]{"long"});
    }

    private static Object array(MBeanServerConnection server, ObjectName name, long... ids) throws Exception {
        return server.invoke(name, "getThreadUserTime", new Object[]{ids}, new String[]{"[J"});
    }

    private static void assertProxy(MBeanServerConnection server, long id) throws Exception {
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(server,
                ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        assertThat(threads.getCurrentThreadUserTime()).isNotNegative();
        Jvm.assertBurnt(threads.getThreadUserTime(id), threads.getThreadUserTime(new long[]{UNKNOWN, id})[1]);
        assertThat(threads.getThreadUserTime(UNKNOWN)).isEqualTo(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> threads.getThreadUserTime(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> threads.getThreadUserTime(new long[]{id, -1}));
        assertThatNullPointerException().isThrownBy(() -> threads.getThreadUserTime((long[]) null));
        threads.setThreadCpuTimeEnabled(false);
        try {
            assertThat(threads.getThreadUserTime(new long[]{id, UNKNOWN})).containsExactly(-1, -1);
        } finally {
            threads.setThreadCpuTimeEnabled(true);
        }
    }
}
