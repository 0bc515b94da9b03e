// SPDX-License-Identifier: Apache-2.0
// How native code is called on JDK 8 to 21: through JNI. META-INF/versions/22 has its own.
package dev.threadclock.internal;

final class NativeBinding {
    private NativeBinding() {}

    static Clocks clocks() {
        return new JniClocks("JNI");
    }
}
