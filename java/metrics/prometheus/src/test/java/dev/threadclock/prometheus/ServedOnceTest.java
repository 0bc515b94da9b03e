// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** At most one server in a JVM, which a refused change leaves as it was. */
class ServedOnceTest {
    @AfterEach
    void end() {
        Prometheus.serve(null);
    }

    @Test
    void aPortThatThisJvmServesIsNotMovedToAnotherAddress() {
        assertThat(Prometheus.serve("127.0.0.1:0")).isNull();
        String served = Prometheus.served();
        assertThat(Prometheus.serve("0.0.0.0:" + served.split(":")[1])).contains(served, "detach first");
        assertThat(Prometheus.served()).isEqualTo(served);
        assertThat(Prometheus.serve(served)).isNull();
        assertThat(Prometheus.serve(null)).isNull();
        assertThat(Prometheus.served()).isNull();
    }

    /** Even if it has left its port open, because there was no memory to close it. */
    @Test
    void aServerThatHasEndedIsReplaced() throws Exception {
        assertThat(Prometheus.serve("127.0.0.1:0")).isNull();
        String address = Prometheus.served();
        ScrapeServer ended = (ScrapeServer) field(Prometheus.class, "server").get(null);
        Field listener = field(ScrapeServer.class, "listener");
        ((ServerSocketChannel) listener.get(ended)).close();
        for (int i = 0; ended.isOpen(); i++) {
            ((Selector) field(ScrapeServer.class, "selector").get(ended)).wakeup();
            assertThat(i).as("rounds").isLessThan(1000);
            Thread.sleep(10);
        }
        assertThat(Prometheus.served()).isNull();
        listener.set(ended, ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), ended.port())));
        assertThat(Prometheus.serve(address)).isNull();
        assertThat(Prometheus.served()).isEqualTo(address);
    }

    private static Field field(Class<?> of, String name) throws NoSuchFieldException {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
