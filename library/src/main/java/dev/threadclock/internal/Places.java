// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** The folders in which the native library may be placed while it is loaded, best first. */
final class Places {
    private Places() {}

    static List<String> inOrder() {
        Collection<String> places = new LinkedHashSet<>();
        add(places, System.getProperty(Property.TMPDIR), "");
        add(places, System.getProperty("java.io.tmpdir"), "");
        add(places, System.getenv("XDG_RUNTIME_DIR"), "");
        add(places, System.getenv("XDG_CACHE_HOME"), "");
        add(places, System.getProperty("user.home"), "/.cache");
        add(places, "/dev/shm", "");
        add(places, "/var/tmp", "");
        return new ArrayList<>(places);
    }

    private static void add(Collection<String> places, String place, String below) {
        if (place != null && !place.isEmpty() && !place.equals("?")) {
            places.add(place + below);
        }
    }
}
