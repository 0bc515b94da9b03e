// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Threads.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.sun.management.ThreadMXBean;
import dev.threadclock.tests.child.Threads.Worker;
import java.lang.management.ManagementFactory;
import javax.management.MBeanServerConnection;
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

    /** A proxy gets and sets the server's attributes, and invokes its operations. */
    private static void assertAnswers(MBeanServerConnection server) throws Exception {
        long id = worker.id();
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(server,
                ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        assertThat(threads.getCurrentThreadUserTime()).isNotNegative();
        Jvm.assertBurnt(threads.getThreadUserTime(id), threads.getThreadUserTime(new long[]{UNKNOWN, id})[1]);
        assertThat(threads.getThreadUserTime(UNKNOWN)).isEqualTo(-1);
        long[] times = threads.getThreadUserTime(new long[]{id, UNKNOWN, id});
        Jvm.assertTimes(2, new long[]{times[0], times[2]});
        assertThat(times[1]).isEqualTo(-1);
        assertThat(threads.getThreadUserTime(new long[0])).isEmpty();
        for (long wrong : new long[]{0, -1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> threads.getThreadUserTime(wrong));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> threads.getThreadUserTime(new long[]{id, wrong}));
        }
        assertThatNullPointerException().isThrownBy(() -> threads.getThreadUserTime((long[]) null));
        threads.setThreadCpuTimeEnabled(false);
        try {
            assertThat(threads.getCurrentThreadUserTime()).isEqualTo(-1);
            assertThat(threads.getThreadUserTime(new long[]{id, UNKNOWN})).containsExactly(-1, -1);
        } finally {
            threads.setThreadCpuTimeEnabled(true);
        }
    }
}
