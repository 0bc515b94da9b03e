// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/** How native code is called on JDK 22 and later: the hot reads through FFM, all others through JNI. */
final class NativeBinding {
    private NativeBinding() {}

    static Clocks clocks() {
        JniClocks jni = new JniClocks("JNI"); // throws if native code is not available
        try {
            return new FfmClocks();
        } catch (LinkageError | RuntimeException e) {
            return jni; // a JVM without FFM on this architecture
        }
    }
}
