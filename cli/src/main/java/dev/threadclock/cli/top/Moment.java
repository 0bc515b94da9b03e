// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.top;

import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.doctor.HostLoad;
import dev.threadclock.cli.interval.Interval;

/** What top shows at one time. hindrance: in the interval; host: at its end. */
record Moment(Interval interval, Hindrance hindrance, HostLoad host) {}
