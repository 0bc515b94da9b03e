// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 as lower-case hex, the form of the .sha256 files in the jar. */
final class Digest {
    private Digest() {}

    static String sha256(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            StringBuilder hex = new StringBuilder(2 * digest.length);
            for (byte b : digest) {
                hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256, which every Java has, is missing", e);
        }
    }
}
