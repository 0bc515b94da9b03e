# SPDX-License-Identifier: Apache-2.0
# Mutants: the core with one remedy removed. The test for that remedy must fail on the mutant; otherwise it
# proves nothing.

# mutate(name file old new): writes core/file, with every old in it replaced by new, into ${directory}, and sets
# ${c_sources} to what the mutant is linked from: of a mutated .c file only that file is compiled again, of a
# mutated header all.
function(mutate name file old new)
  set(core ${PROJECT_SOURCE_DIR}/core)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  file(READ ${core}/${file} text)
  string(REPLACE "${old}" "${new}" mutated "${text}")
  if(mutated STREQUAL text)
    message(FATAL_ERROR "mutant ${name}: core/${file} has no '${old}' any more; adapt test/mutants.cmake")
  endif()
  set(is_header FALSE)
  if(file MATCHES "\\.h$")
    set(is_header TRUE)
    file(GLOB sources RELATIVE ${core} ${core}/*.[ch])
    foreach(source ${sources})
      configure_file(${core}/${source} ${directory}/${source} COPYONLY)
    endforeach()
  endif()
  file(CONFIGURE OUTPUT ${directory}/${file} CONTENT "${mutated}" @ONLY)
  if(is_header)
    file(GLOB c_sources ${directory}/*.c)
  else()
    string(REPLACE "." "\\." pattern "/${file}.o$")
    set(c_sources ${directory}/${file} "$<FILTER:$<TARGET_OBJECTS:threadclock_core>,EXCLUDE,${pattern}>")
  endif()
  set(is_header ${is_header} PARENT_SCOPE)
  set(directory ${directory} PARENT_SCOPE)
  set(c_sources ${c_sources} PARENT_SCOPE)
endfunction()

# fails_on(name command...): the test mutant_name, which passes if a test function in it fails, by cmocka's
# assertions or ours. The program ends right after that, when it prints the name of the next test function. On
# a loaded machine a race may not be hit the first time: five tries.
set(shows_a_failure "/\\[  FAILED  \\] [a-z]|: not so: /q7")
set(until_one_fails "for try in 1 2 3 4 5; do \"$0\" \"$@\" 2>&1 | sed -uE '${shows_a_failure}'; test $? = 7 && break; done")
function(fails_on name)
  add_test(NAME mutant_${name} COMMAND ${CMAKE_COMMAND} -E env CMOCKA_MESSAGE_OUTPUT=STDOUT THREADCLOCK_SIGNAL_MS=3000
    sh -c "${until_one_fails}" env ${ARGN})
  set_tests_properties(mutant_${name} PROPERTIES PASS_REGULAR_EXPRESSION "\\[  FAILED  \\] [a-z];: not so: "
    SKIP_REGULAR_EXPRESSION "SKIP: no PID namespace whose" TIMEOUT 900)
endfunction()

# threadclock_mutant(name test file old new [NAME=VALUE...]): the test must fail on it, with these environment
# variables.
function(threadclock_mutant name test file old new)
  mutate(${name} ${file} "${old}" "${new}")
  set(test_source ${test}_test.c)
  if(NOT is_header)
    set(test_source $<TARGET_OBJECTS:${test}_test>)
  endif()
  add_executable(${name}_mutant ${test_source} ${c_sources})
  target_include_directories(${name}_mutant BEFORE PRIVATE ${directory})
  target_compile_options(${name}_mutant PRIVATE -w)
  target_link_libraries(${name}_mutant PRIVATE test_support)
  fails_on(${name} ${ARGN} $<TARGET_FILE:${name}_mutant>)
endfunction()

# Fork: the hot path ignores the epoch; the kernel does not wipe the epoch; a sample from before the fork is
# kept.
threadclock_mutant(no_epoch fork own_thread.c " && TC_LOAD(cell->epoch) == TC_LOAD(*epoch_word)" " && epoch_word")
threadclock_mutant(no_wipe fork tick.c "EPOCH_MAP_BYTES, MADV_WIPEONFORK" "EPOCH_MAP_BYTES, MADV_NORMAL")
threadclock_mutant(wipe_taken_for_granted fallback tick.c " && !takes_any_advice(page)" "")
threadclock_mutant(no_slot_of_epoch fork own_thread.c "tc_slot_merge(slot, (uint64_t)times" "tc_slot_merge(cell->slot, (uint64_t)times")
threadclock_mutant(no_other_slot fork own_thread.c "cell->slot == &cell->home ? &cell->home_of_child : &cell->home" "&cell->home")
# Signals: the slot is written without compare-and-swap; the pair is read without checking it again.
threadclock_mutant(no_cas signal slot.h "if (tc_pair_cas(slot, old, new))" "slot->sum_ns = new.sum_ns; slot->user_ns = new.user_ns; if (1)")
threadclock_mutant(no_second_look signal slot.h "__builtin_expect(again != pair.sum_ns, 0)" "0")
threadclock_mutant(no_second_look_abroad operations slot.h "__builtin_expect(again != pair.sum_ns, 0)" "0")
# Total: a restart between reading the pair and the total is not noticed; it is not raised with the pair.
threadclock_mutant(total_of_a_restart slot slot.h "total_ns > pair.sum_ns ? total_ns : pair.sum_ns" "total_ns")
threadclock_mutant(total_unfloored own_thread slot.h "tc_slot_raise_total(slot, sum_ns);" "")
# Clamping: a sample of another source is taken unclamped.
threadclock_mutant(no_clamp slot slot.h "user_ns < old.user_ns ? old.user_ns : user_ns > user_max_ns ? user_max_ns : user_ns" "user_ns")
# Freshness: a key that never changes; a now read that does not make the kernel update its run time.
threadclock_mutant(never_stale own_thread tick.h "((uint64_t)ts.tv_sec << 30) + (uint64_t)ts.tv_nsec + 1" "1")
threadclock_mutant(no_refresh own_thread own_thread.c "    refresh_total(cell); /*" "    (void)0; /*")
# Errors: a failed sample is taken for a time.
threadclock_mutant(error_is_zero fallback own_thread.c "== THREADCLOCK_SOURCE_NONE)\n            return error;" "== THREADCLOCK_SOURCE_NONE)\n            error = 0;")
# TIDs that are reused: the new thread is taken for the old one; a list is kept although one of its TIDs was
# reused; the entry of a thread that did not unregister is taken for the next thread's.
threadclock_mutant(tid_is_identity tid_reuse thread_identity.c "if (inode != 0 && inode == TC_LOAD(identity->inode))" "if (1)")
threadclock_mutant(list_held_for_ever tid_reuse task_folder.c
  "    if (whole_circle(before, after))
        return true;" "    if (!whole_circle(before, after))
        return false;")
threadclock_mutant(left_behind_is_own tid_reuse entries.c "entry != NULL && entry->registered == 0" "entry != NULL")
threadclock_mutant(left_behind_is_read tid_reuse threads.c " && entry->began_ns >= started_ns" "")
# Thread-local storage is allocated under the table's lock: a separate library, which the test loads.
mutate(allocates_under_lock threads.c "tc_own_allocate();" ";")
add_library(allocates_under_lock_mutant MODULE ${c_sources})
target_include_directories(allocates_under_lock_mutant BEFORE PRIVATE ${directory} ../core ../include)
target_compile_options(allocates_under_lock_mutant PRIVATE -w)
target_link_libraries(allocates_under_lock_mutant PRIVATE threadclock_options)
fails_on(allocates_under_lock GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0 $<TARGET_FILE:thread_local_test>
  $<TARGET_FILE:allocates_under_lock_mutant>)
# Unknown is taken for ended; a /proc of another PID namespace is taken for ours.
threadclock_mutant(unknown_is_gone process_threads process_threads.c
  "error = tc_thread_check(known->tid, 0, &known->identity);\n    if (error == 0)\n        tc_slot_times"
  "error = tc_thread_check(known->tid, 0, &known->identity) != 0 ? -ESRCH : 0;\n    if (error == 0)\n        tc_slot_times")
# What was read of a thread before it registered is taken back.
threadclock_mutant(begins_anew process_threads threads.c "if (seen != NULL)" "if (0)")
threadclock_mutant(any_proc elsewhere proc_stat.c
  "pid != pid_of_link(target, size) || error == -ENOENT" "0")
# A read of one thread lists all.
threadclock_mutant(lists_all process_threads process_threads.c "    drop_ended_if_due();"
  "    if (all.added > ADDED_MIN && (error = list_anew()) != 0)\n        return error;")
threadclock_mutant(list_not_checked tid_reuse process_threads.c " && list_held())" ")")
# Where TIDs may have been given away, all threads are listed and read again.
threadclock_mutant(lists_again system_calls process_threads.c " && !still_has_tid(&all.known[i])" "")
# A child uses memory that its parent's thread has already unmapped.
threadclock_mutant(unmapped_first fork process_threads.c
  "    TC_STORE(all.known, grown);" "    tc_syscall4(SYS_munmap, (long)before, (long)(all.capacity * sizeof *before), 0, 0);\n    TC_STORE(all.known, grown);")
# A thread that has read itself loses its readings when it registers. The JVM's and its own registration: the
# first end ends both; the count has 16 bits. A forgotten entry is reused while its thread still has its times
# there.
threadclock_mutant(reads_stay_behind registrations threads.c "if (tc_own_cell_used(tid))\n            tc_own_move_to" "if (0)\n            tc_own_move_to")
threadclock_mutant(one_end_for_both registrations threads.c "if (entry->registered == 0) {\n        end(entry)" "if (1) {\n        end(entry)")
threadclock_mutant(sixteen_bits registrations entries.h "uint32_t registered;" "uint16_t registered;")
threadclock_mutant(stays_in_ended registrations threads.c "tc_own_move_home(); /* its entry may have ended, and be reused */" ";")
threadclock_mutant(forgotten_used_again registrations threads.c "end_id(entry, entry->id, tc_entry_abandon)" "end_id(entry, entry->id, tc_entry_end)")
# The epoch: the lower half carries into the fork's; PID 1 of a nested PID namespace is taken for its parent.
threadclock_mutant(epoch_carries tick tick.c "(old & ~(uint64_t)UINT32_MAX) | (uint32_t)(old + 1)" "old + 1")
threadclock_mutant(every_1_is_the_same fallback tick.c "if (pid != 1\n" "if (1\n")
# A restored process: its clocks restart, but its slots do not; an old reading is taken for a restore.
threadclock_mutant(never_restored restored slot.h "total_before_ns > sched_ns + TC_RESTORED_NS" "0")
threadclock_mutant(late_is_restored threads thread_times.c
  "tc_slot_restart_if_restored(slot, news->total_before_ns, sched_ns)" "tc_slot_restart_if_restored(slot, TC_LOAD(slot->total_ns), sched_ns)")
# Interpolation: switches are not noticed; an anchor never expires; the mark of a later anchor is taken for an
# earlier one's; halves of two anchors are mixed; an anchor overwrites a handler's; a mark stays after its
# anchor failed; the counter runs too fast; an anchor is ahead of the kernel because its thread was.
threadclock_mutant(interpolated_no_mark interpolated interpolated.h "TC_LOAD(tc_rseq_area()->rseq_cs) != TC_LOAD_RELAXED(tc_interpolation.mark)" "0")
threadclock_mutant(no_switch_is_final fallback interpolated.c "survives = told && switched && !is_cleared" "survives = !is_cleared")
threadclock_mutant(interpolated_for_ever interpolated interpolated.h "elapsed >= window" "0")
threadclock_mutant(interpolated_mark_last interpolated_steps interpolated.h
  "    if (TC_LOAD(tc_rseq_area()->rseq_cs) != TC_LOAD_RELAXED(tc_interpolation.mark))
        return false;
    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    if (elapsed >= window)"
  "    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    if (elapsed >= window || TC_LOAD(tc_rseq_area()->rseq_cs) != TC_LOAD_RELAXED(tc_interpolation.mark))")
threadclock_mutant(interpolated_halves interpolated_steps interpolated.h
  "    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);"
  "    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    uint64_t anchor_ns = TC_LOAD(anchor->ns);")
threadclock_mutant(interpolated_late_ticks interpolated_steps interpolated.h
  "    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);"
  "    ticks = tc_ticks();
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);")
threadclock_mutant(interpolated_no_cas interpolated_steps interpolated.c
  "stamp_cas(anchor, anchoring->before, (struct tc_stamp){ticks, (uint64_t)total_ns})"
  "(*(volatile struct tc_stamp *)anchor = (struct tc_stamp){ticks, (uint64_t)total_ns}, 1)")
threadclock_mutant(interpolated_mark_stays interpolated_steps interpolated.c
  "        TC_STORE(area->rseq_cs, 0);
}" "        ;
}")
threadclock_mutant(interpolated_stays_ahead interpolated own_thread.c "tc_anchor_end(&cell->anchor, &anchoring, kernel_ns)"
  "tc_anchor_end(&cell->anchor, &anchoring, total_ns(cell))")
threadclock_mutant(interpolated_too_fast interpolated interpolated.c "measured -= measured >> 16" "measured *= 2")
# Interpolation: a fork is not noticed; another library's field is overwritten; trials are left out.
threadclock_mutant(interpolated_no_recheck interpolated_steps own_thread.c
  "tc_slot_raise_total(slot, ns);
        const uint64_t *epoch_word = TC_LOAD_RELAXED(tc_epoch_word);
        if (__builtin_expect(TC_LOAD(*epoch_word) == epoch, 1))"
  "tc_slot_raise_total(cell->slot, ns);
        if (slot != NULL)")
threadclock_mutant(interpolated_foreign interpolated interpolated.c
  " || (rseq_cs != 0 && rseq_cs != mark)" "")
threadclock_mutant(interpolated_untried fallback interpolated.c "return switch_clears_mark(area);" "return READY;")
threadclock_mutant(interpolated_unasked fallback interpolated.c " || !is_registered(area)" "")
# Refusals: an errno is taken for a TID, which is then the same in all threads; an unknown /proc is taken for
# another namespace's or for ours; a tick of unknown length is taken for none; a kernel without the clock is
# taken for the end of the thread.
threadclock_mutant(errno_is_tid faults threads.c "if (tid < 0)" "if (0)" THREADCLOCK_FAULT=gettid)
threadclock_mutant(refused_is_foreign faults proc_stat.c "if (size < 0 || pid < 0 || tid < 0)" "if (size < 0)" THREADCLOCK_FAULT=getpid)
threadclock_mutant(refused_is_there faults proc_stat.c "? -EREMOTE : (int)error" "? -EREMOTE : 0" THREADCLOCK_FAULT=faccessat)
threadclock_mutant(unknown_tick_is_none faults source.c "tick_ns > 0 ? tick_ns : NS_PER_SECOND / 100" "tick_ns > 0 ? tick_ns : 0"
  THREADCLOCK_FAULT=clock_getres)
# Limits: a time wraps around. Elsewhere: a kernel without the tick counters is taken for the end of the thread; a
# coarse clock that changes at each read is used for caching.
threadclock_mutant(wraps_around fallback clock_id.h "ts->tv_sec >> 33 != 0" "ts->tv_sec != 0 && 0")
threadclock_mutant(no_clock_is_no_thread elsewhere thread_times.c "error == -EINVAL && tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED) >= 0" "0")
threadclock_mutant(never_coarse elsewhere tick.c "&& tc_timespec_ns(&resolution) >= COARSE_RESOLUTION_MIN_NS" "")
# Two first reads at once, one of which is refused its page: the later answer is taken, and so another epoch.
threadclock_mutant(last_answer_stays tick tick.c
  "__atomic_compare_exchange_n(&tc_epoch_word, &none, word, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)"
  "__atomic_exchange_n(&tc_epoch_word, word, __ATOMIC_ACQ_REL) != NULL")
# Virtual threads: what has been shown may decrease; a read is fresher than the clock of switches; another thread's
# account is taken for the caller's; the wrong carrier ends a slice; an account of an epoch that has passed is read, or
# stays if it is held; preemption, a carrier without work, or a wait in a slice counts as run time.
threadclock_mutant(shown_may_decrease virtual_threads virtual_threads.c
  "    tc_slot_merge(&account->shown, user_ns, system_ns);\n    tc_slot_times(&account->shown, &times->times);"
  "    times->times = (struct threadclock_times){(int64_t)user_ns, (int64_t)system_ns, (int64_t)(user_ns + system_ns)};"
  THREADCLOCK_VIRTUAL_MS=4000)
threadclock_mutant(fresh_after_tick virtual_threads virtual_threads.c "freshness = THREADCLOCK_TICK;" ";")
threadclock_mutant(any_id virtual_threads virtual_threads.c "account->id == id &&" "")
threadclock_mutant(any_carrier virtual_threads virtual_threads.c "if (account->carrier == carrier->tid) {" "if (1) {")
threadclock_mutant(any_epoch virtual_threads virtual_accounts.c
  "is_of(word, handle) && is_present(account) ? word" "is_of(word, handle) ? word")
threadclock_mutant(past_stays virtual_threads virtual_accounts.c "tries < PATIENCE" "tries < 1")
threadclock_mutant(any_first virtual_threads virtual_accounts.c " && TC_LOAD_RELAXED(account->id) == id" "")
threadclock_mutant(preempted_runs virtual_threads virtual_threads.c "stretch_ns < long_ns" "1")
threadclock_mutant(parked_runs virtual_threads virtual_threads.c "LONG_GAP_NS = 10000" "LONG_GAP_NS = 10000000")
threadclock_mutant(waiting_runs virtual_threads virtual_threads.c "= now_ns + WARY_NS" "= 0")
threadclock_mutant(busy_is_waiting virtual_threads virtual_threads.c "missing_ns > stretch_ns - LONG_GAP_NS" "1")
threadclock_mutant(one_wait_is_two virtual_threads virtual_threads.c
  "!stands_out || missing_ns > stretch_ns + stretch_ns / INACCURACY_SHARE" "!stands_out")
# Groups: the time of an ended thread is not counted; what was counted before is counted again; what was estimated too
# high is taken back; a slice that is not over is left out, or divided as what came before; the digit of "G1 " is a
# number.
threadclock_mutant(ended_uncounted virtual_groups virtual_accounts.c
  "    count(account, account->user_ns, account->system_ns);\n" "")
threadclock_mutant(counted_again virtual_groups virtual_accounts.c "    counted->sum_ns += step_ns;\n" "")
threadclock_mutant(counted_back virtual_groups virtual_accounts.c
  "    if (user_ns + system_ns <= counted->sum_ns)\n        return;\n" "")
threadclock_mutant(moving_uncounted virtual_groups virtual_groups.c
  "            tc_account_count(moving[i], &times.times);" "            (void)0;")
threadclock_mutant(long_slice_as_before virtual_groups virtual_threads.c "LONG_NS = 50000000" "LONG_NS = 2000000000")
threadclock_mutant(digits_of_names virtual_groups virtual_groups.c "if (belongs_to_name(name, at, end))" "if (0)")
