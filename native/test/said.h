/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what every public function returns in the calling thread, against the kernel's own clocks as another
 * thread reads them.
 */
#ifndef TC_TEST_SAID_H
#define TC_TEST_SAID_H

#include <stdbool.h>
#include <stdint.h>

enum { SAID_WRONG = 1, FUNCTIONS = 25 };

/* Names without the prefix: tick_length, register, ... */
extern const char *const function_names[FUNCTIONS];

/*
 * Gives the calling thread some CPU time, and starts the witness: a thread that reads the kernel's clocks for
 * it, unaffected by the calling thread's filters. False: no thread can be started.
 */
bool start_witness(void);

/* Calls all functions twice, in different ticks; leaves the thread registered. False: a result was wrong. */
bool use_everything(void);

/*
 * Waits until nothing is cached, and calls all functions twice, because what fails the first time must fail
 * again. Prints each result that is not as in says, which has a character for each function, ignoring blanks:
 *
 *     tick now interpolated, interval raw length register..threads_times tid all unregister process proc
 *     .... .... ..                    ..  .      ....                    ..      .          .       ..
 *
 * then clock and describe.
 *
 * A point: right; e: -error; m: -ENOMEM; s: -ESRCH, for a missing handle; n: -ENOENT, for a missing
 * registration or folder; f: -EMFILE; i: -EINVAL; o: -EOPNOTSUPP; r: -EREMOTE. False: one was not so.
 */
bool all_say(const char *says, int error, bool used);
#define ALL_RIGHT ".... .... .. .. . .... .. . . .. . ."

/* For tables of what to say before the first read, and after use. */
#define ALWAYS(says) {says, says}

/* Where the function that is running is stored, and FUNCTIONS when all have run. */
extern volatile int *at_work;

int open_files(void);

/* True if the precise clock is refused: its replacement may be two ticks old. */
extern bool precise_clock_is_refused;

/* The tick length that the kernel is made to report; 0: the true one. */
extern int64_t tick_length_told_ns;

#endif
