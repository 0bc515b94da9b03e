// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.nio.charset.StandardCharsets;

/** What the agent answers under the address of its option prometheus=. */
public final class Prometheus {
    private static Responder responder; // made for the first request

    private Prometheus() {}

    /**
     * {@return the response of HTTP to one request}
     *
     * @param head all up to the empty line, and perhaps more; or as much of it as the agent takes
     * @param local only this machine can ask
     */
    public static synchronized byte[] respond(byte[] head, boolean local) {
        Thread.interrupted(); // set, it would close the files that are read
        if (responder == null) {
            responder = new Responder(new ProcessAccount());
        }
        return responder.respond(new String(head, StandardCharsets.ISO_8859_1), local);
    }
}
