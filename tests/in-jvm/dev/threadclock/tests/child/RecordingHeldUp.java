// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.lang.reflect.Proxy;

/**
 * A child program in which the start of a Flight Recorder recording takes until a file exists. Argument: the
 * file. Prints {@code running}, and {@code held up} at the start. By reflection, because this is compiled for
 * JDK 8.
 */
public final class RecordingHeldUp {
    public static void main(String[] args) throws Exception {
        Class<?> recorder = Class.forName("jdk.jfr.FlightRecorder");
        Class<?> listener = Class.forName("jdk.jfr.FlightRecorderListener");
        File file = new File(args[0]);
        Object holding = Proxy.newProxyInstance(listener.getClassLoader(), new Class<?>[]{listener},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("recordingStateChanged") && !file.exists()) {
                        System.out.println("held up");
                        Idle.untilThere(args[0]);
                    }
                    return null;
                });
        recorder.getMethod("addListener", listener).invoke(null, holding);
        System.out.println("running");
        Thread.sleep(300_000);
    }
}
