// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.UnsupportedAddressTypeException;
import java.security.AccessController;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;

/** The option prometheus= of the agent: at most one server of metrics in this JVM. */
public final class Prometheus {
    private static String requested; // null: off
    private static ScrapeServer server;

    private Prometheus() {}

    /**
     * Serves the metrics there, and no longer where they were served before. If they are served there
     * already, nothing changes.
     *
     * @param address an IP address, in brackets if it has colons, a colon and a port, which may be 0 for any;
     *     or null for nowhere
     * @return null, or why that is not possible; then nothing has changed
     */
    public static synchronized String serve(String address) {
        String served = served();
        if (served != null && (served.equals(address) || address != null && address.equals(requested))) {
            return null;
        }
        if (server != null && served == null) {
            server.close(); // its thread has ended, and may have had no memory to free the port
            server = null;
        }
        try {
            ScrapeServer opened = address == null ? null : open(address);
            if (server != null) {
                server.close();
            }
            server = opened;
            requested = address;
            return null;
        } catch (IOException | RuntimeException e) {
            boolean isOurs = served != null && port(address) == server.port();
            return "prometheus=" + address + ": cannot listen there: "
                    + (isOurs ? "this JVM serves that port at " + served + "; detach first" : reason(e));
        }
    }

    /** {@return where the metrics are served, with the real port; null: nowhere} */
    public static synchronized String served() {
        return server == null || !server.isOpen() ? null : host(requested) + ":" + server.port();
    }

    /** The JVM is ending: it would wait for a thread in native code. */
    public static void end() {
        ScrapeServer.endAll();
    }

    private static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static ScrapeServer open(String address) throws IOException {
        // No name is looked up: the agent has let nothing but an address through.
        InetAddress host = InetAddress.getByName(host(address));
        int port = port(address);
        // What the policy grants this jar suffices, whoever has loaded the agent.
        try {
            return AccessController.doPrivileged(new PrivilegedExceptionAction<ScrapeServer>() {
                @Override
                public ScrapeServer run() throws IOException {
                    return new ScrapeServer(new InetSocketAddress(host, port), new ProcessAccount());
                }
            });
        } catch (PrivilegedActionException e) {
            throw (IOException) e.getException();
        }
    }

    private static String reason(Exception e) {
        if (e instanceof SecurityException) {
            return e.getMessage()
                    + "; grant the agent's file java.security.AllPermission in the policy, or leave the"
                    + " option out";
        }
        String why = e instanceof UnsupportedAddressTypeException ? "this JVM has no IPv6"
                : e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString();
        return why + "; name another address or port, or port 0 for any that is free";
    }
}
