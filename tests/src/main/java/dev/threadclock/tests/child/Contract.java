// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: ThreadMXBean's contract on user time, as a transcript that must be the same with and
 * without the agent. Arguments: the helper library or "none", and the java with which to start another JVM.
 */
public final class Contract {
    public static void main(String[] args) throws Exception {
        try {
            ContractIds.run();
            ContractThreads.run();
            ContractGetId.run();
            ContractVirtual.run();
            ContractNative.run(args[0]);
            ContractJmx.run(args[1]);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1); // threads that wait for permission to end must not delay the exit
        }
    }
}
