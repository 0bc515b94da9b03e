/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the tick cache and the slot (core/own_thread.c, core/slot.h) for the model checker spin; run it
 * with check.
 *
 * One thread reads itself. A signal handler interrupts it between any two steps, may fork, and reads as well;
 * after a fork the model follows the child, in which the interrupted read continues with the parent's memory.
 * Meanwhile another thread reads the thread. Each step that can be interrupted is its own statement; what the
 * code does with signals blocked or by one compare-and-swap is atomic. Memory is sequentially consistent
 * here. In the code each access acquires or releases; the stress tests cover the reordering that is still
 * possible.
 *
 * -DWITHOUT=NAME removes one remedy, and the checker must then find what it prevents.
 */
#define CAS 1          /* sum and user change together */
#define SECOND_LOOK 2  /* at the sum, after user */
#define KEY_LAST 3     /* stored after the values that it covers */
#define EPOCH 4        /* compared in each tick read */
#define RECHECK 5      /* of the epoch, after a sample was stored in the slot */
#define OTHER_SLOT 6   /* in the child, so that its parent's sample does not reach it */
#define FRESH_EPOCH 7  /* read again with signals blocked */
#define NO_EPOCH 8     /* a value other than 0, which is the epoch word of a child before its first read */
#define TOTAL_LAST 9   /* read after the pair */
#define CLAMP 10       /* of a sample of another source */
#define FLOOR 11       /* total is raised before the pair */
#ifndef WITHOUT
#define WITHOUT 0
#endif
#define has(remedy) (WITHOUT != remedy)
#define NEVER 255

byte ran, runs, run_at_tick, tick = 1;  /* the kernel's run time of the thread, now and at the last tick */
byte epoch_word = 1, generation = 1;    /* the kernel wipes the first at a fork */
byte key, cell_epoch = 1;               /* the thread's cell, and which of two slots is its own */
bit slot;
byte sum[2], user[2], total[2];
byte published[20];                     /* for each slot and sum, the user part stored with it */
byte seen_user, seen_system, seen_total /* by anyone */;
byte forks;
bool in_handler, spans;                 /* true if the interrupted read began in the parent */

/* The thread may have run meanwhile. This only matters where its time is then read. */
inline may_run() { if :: runs < RUN_MAX -> runs++; ran++ :: true fi }

/* The run time, with any split, as sources differ; or with one source, whose split never decreases. */
inline sample(t, u) { atomic { may_run(); t = ran; if :: u = t :: !ONE_SOURCE -> u = 0 fi } }

inline pair(at, s, u) { /* tc_slot_pair */
    s = sum[at];
    do
    :: u = user[at]; again = sum[at]; if :: again == s || !has(SECOND_LOOK) -> break :: else -> s = again fi
    od
}

inline raise_total(at, t) { /* a compare-and-swap until it succeeds: a maximum */
    atomic { if :: total[at] < t -> total[at] = t :: else fi }
}

inline merge(at, t, u) { /* tc_slot_merge */
    if :: has(FLOOR) -> raise_total(at, t) :: else fi;
    do
    :: pair(at, old_sum, old_user);
       if :: t <= old_sum -> break :: else fi;
       new = (!has(CLAMP) -> u : (u < old_user -> old_user : (u > old_user + t - old_sum -> old_user + t - old_sum : u)));
       if
       :: has(CAS) -> atomic {
              if :: sum[at] == old_sum && user[at] == old_user -> sum[at] = t; user[at] = new; published[at * 10 + t] = new; break
                 :: else fi }
       :: else -> sum[at] = t; published[at * 10 + t] = new; user[at] = new; break
       fi
    od
}

inline tc_epoch(e) { atomic { if :: epoch_word == 0 -> generation++; epoch_word = generation :: else fi; e = epoch_word } }

inline present_epoch(e) { /* and enter_epoch, with signals blocked: resets a cell that a fork copied */
    tc_epoch(e);
    atomic {
        if
        :: cell_epoch != e ->
            if :: has(FRESH_EPOCH) -> tc_epoch(e) :: else fi;
            if
            :: cell_epoch != e ->
                if :: has(OTHER_SLOT) -> slot = 1 - slot :: else fi;
                sum[slot] = 0; user[slot] = 0; total[slot] = 0; key = 0; cell_epoch = e
            :: else
            fi
        :: else
        fi
    }
}

inline fill(k) { /* for a now read, preceded by refresh_total */
    do
    :: do /* present_slot */
       :: present_epoch(epoch); at = slot; tc_epoch(after); if :: after == epoch -> break :: else fi
       od;
       if :: k == NEVER -> atomic { may_run(); t = ran }; raise_total(at, t) :: else fi;
       sample(t, u);
       if :: !has(KEY_LAST) && k != NEVER -> key = k :: else fi;
       merge(at, t, u);
       tc_epoch(after); /* is_present */
       if
       :: after == epoch || !has(RECHECK) -> if :: k != NEVER -> key = k :: else fi; break
       :: else -> atomic { if :: slot == at -> cell_epoch = (has(NO_EPOCH) -> NEVER : 0) :: else fi }
       fi
    od
}

inline begin(spanning) {
    atomic { before_user = seen_user; before_system = seen_system; before_total = seen_total; floor = 0; spanning = false }
}

inline end(spanning) { /* tc_slot_times, and the checks of the promises */
    at = slot;
    if :: has(TOTAL_LAST) -> pair(at, s, u); t = total[at] :: else -> t = total[at]; pair(at, s, u) fi;
    atomic {
        if
        :: spanning
        :: else ->
            assert(u >= before_user && s >= before_system + u && t >= before_total); /* no value decreases */
            assert(s <= t && before_user + before_system <= t); /* user + system <= total read later */
            assert(t <= ran);                                   /* never ahead; in a child ran begins at 0 */
            assert(t >= floor);                                 /* not older than the tick */
            assert(published[at * 10 + s] == u);                /* no torn pair */
            seen_user = (u > seen_user -> u : seen_user);
            seen_system = (s - u > seen_system -> s - u : seen_system);
            seen_total = (t > seen_total -> t : seen_total)
        fi;
        t = 0; u = 0; s = 0; again = 0; k = 0; epoch = 0; after = 0; old_sum = 0; old_user = 0; new = 0; at = 0;
        before_user = 0; before_system = 0; before_total = 0; floor = 0 /* fewer states */
    }
}

inline read_own(spanning) {
    begin(spanning);
    if
    :: atomic { if :: tick == 1 -> may_run(); tick++; run_at_tick = ran :: true fi; k = tick; floor = run_at_tick };
       if :: key == k && (cell_epoch == epoch_word || !has(EPOCH)) :: else -> fill(k) fi
    :: k = NEVER; fill(k)
    fi;
    end(spanning)
}

#define LOCALS bit at; byte t, u, s, again, k, epoch, after, old_sum, old_user, new, before_user, before_system, before_total, floor

active proctype thread() provided (!in_handler) { LOCALS; read_own(spans); read_own(spans) }

proctype handler() provided (in_handler) {
    LOCALS; bool none;
    if
    :: atomic { forks < FORK_MAX -> forks++; spans = true; epoch_word = 0; ran = 0; run_at_tick = 0; seen_user = 0; seen_system = 0;
           seen_total = 0 }
    :: true
    fi;
    if :: read_own(none) :: true fi;
    in_handler = false
}

active proctype signals() {
    byte i;
    do :: i < SIGNAL_MAX -> atomic { !in_handler -> i++; in_handler = true; run handler() } :: break od
}

active proctype reader() provided (forks == 0) { /* as thread_times.c does; a child has no such thread */
    LOCALS; bool none; byte i;
    do :: i < READ_MAX -> i++; begin(none); sample(t, u); merge(0, t, u); end(none) :: break od
}
