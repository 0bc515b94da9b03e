// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/** How native code is called on JDK 8 to 21: through JNI. META-INF/versions/22 has another version. */
final class NativeBinding {
    private NativeBinding() {}

    static Clocks clocks() {
        return new JniClocks("JNI");
    }
}
