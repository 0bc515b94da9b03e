// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.host.Hindrance;
import dev.threadclock.watch.host.HostLoad;
import dev.threadclock.watch.interval.Interval;

/** What top shows at one time: an interval, what hindered the JVM in it, and the host's load at its end. */
record Moment(Interval interval, Hindrance hindrance, HostLoad host) {}
