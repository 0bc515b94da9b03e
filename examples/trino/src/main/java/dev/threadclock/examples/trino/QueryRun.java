// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

/**
 * One run of a query.
 *
 * @param processNanos CPU time of the process from before the query until Trino has collected its statistics
 * @param queryNanos CPU time of the query, as reported by Trino
 * @param operatorNanos sum over its operators of addInputCpu, getOutputCpu and finishCpu
 */
record QueryRun(long processNanos, long queryNanos, long operatorNanos) {
    /** answer: a line from Engine. expected: the result of the same query in the first JVM. */
    static QueryRun of(String answer, ExpectedResult expected) {
        String[] words = answer.split(" ");
        expected.check(words[3] + " rows " + words[4]);
        return new QueryRun(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** The first result of a query. All later results, in all JVMs, must be equal to it. */
    static final class ExpectedResult {
        private final TpchQuery query;
        private String result;
        private int compared;

        ExpectedResult(TpchQuery query) {
            this.query = query;
        }

        private void check(String actual) {
            if (result == null) {
                result = actual;
            } else if (!result.equals(actual)) {
                throw new WrongException(query + " has the result " + actual + " instead of " + result);
            }
            compared++;
        }

        int compared() {
            return compared;
        }
    }

    /** Two results of the same query differ. */
    static final class WrongException extends RuntimeException {
        private static final long serialVersionUID = 1;

        WrongException(String what) {
            super(what);
        }
    }
}
