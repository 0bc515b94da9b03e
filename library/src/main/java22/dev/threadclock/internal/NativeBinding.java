// SPDX-License-Identifier: Apache-2.0
// How native code is called on JDK 22 and later: the hot reads through FFM, all else through JNI.
package dev.threadclock.internal;

final class NativeBinding {
    private NativeBinding() {}

    static Clocks clocks() {
        JniClocks jni = new JniClocks("JNI"); // throws if there is no native code at all
        try {
            return new FfmClocks();
        } catch (LinkageError | RuntimeException e) {
            return jni; // a JVM without FFM for this processor
        }
    }
}
