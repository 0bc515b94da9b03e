// SPDX-License-Identifier: Apache-2.0
// What top shows at a time.
package dev.threadclock.cli.top;

import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.interval.Interval;

/** hindrance: in the interval. */
record Moment(Interval interval, Hindrance hindrance) {}
