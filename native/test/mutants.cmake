# SPDX-License-Identifier: Apache-2.0
# Mutants: the core with one remedy taken out. The test of that trap must fail on it, or it proves nothing.

# threadclock_mutant(name test file old new): file of src/ with every old replaced by new; test then has to fail.
function(threadclock_mutant name test file old new)
  set(core ${PROJECT_SOURCE_DIR}/src)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  file(READ ${core}/${file} text)
  string(REPLACE "${old}" "${new}" mutated "${text}")
  if(mutated STREQUAL text)
    message(FATAL_ERROR "mutant ${name}: src/${file} has no '${old}' any more; adapt test/mutants.cmake")
  endif()
  file(GLOB sources RELATIVE ${core} ${core}/*.[ch])
  foreach(source ${sources})
    configure_file(${core}/${source} ${directory}/${source} COPYONLY)
  endforeach()
  file(CONFIGURE OUTPUT ${directory}/${file} CONTENT "${mutated}" @ONLY)
  file(GLOB c_sources ${directory}/*.c)
  add_executable(${name}_mutant ${test}_test.c ${c_sources})
  target_include_directories(${name}_mutant BEFORE PRIVATE ${directory})
  target_compile_options(${name}_mutant PRIVATE -w)
  target_link_libraries(${name}_mutant PRIVATE test_support)
  add_test(NAME mutant_${name} COMMAND ${CMAKE_COMMAND} -E env CMOCKA_MESSAGE_OUTPUT=STDOUT THREADCLOCK_SIGNAL_MS=100
    $<TARGET_FILE:${name}_mutant>)
  set_tests_properties(mutant_${name} PROPERTIES PASS_REGULAR_EXPRESSION "\\[  FAILED  \\] [a-z];: not so: " TIMEOUT 300)
endfunction()

# Fork: the hot path without the epoch; an epoch that the kernel does not wipe; a sample taken before the fork kept.
threadclock_mutant(no_epoch fork own_thread.c " && TC_LOAD(cell->epoch) == TC_LOAD(*epoch_word)" " && epoch_word")
threadclock_mutant(no_wipe fork tick.c "EPOCH_MAP_BYTES, MADV_WIPEONFORK" "EPOCH_MAP_BYTES, MADV_NORMAL")
threadclock_mutant(no_recheck fork own_thread.c "if (after == epoch)" "if (1)")
# Signals: the slot written without compare-and-swap; the pair read without looking twice.
threadclock_mutant(no_cas signal slot.h "if (tc_pair_cas(slot, old, new))" "slot->sum_ns = new.sum_ns; slot->user_ns = new.user_ns; if (1)")
threadclock_mutant(no_second_look signal slot.h "__builtin_expect(again != pair.sum_ns, 0)" "0")
# Order: total before user and system, in the read and in the slot.
threadclock_mutant(total_first signal slot.h
  "    struct tc_pair pair = tc_slot_pair(slot);
    times->user_ns = (int64_t)pair.user_ns;
    times->system_ns = (int64_t)(pair.sum_ns - pair.user_ns);
    times->total_ns = (int64_t)TC_LOAD(slot->total_ns);"
  "    times->total_ns = (int64_t)TC_LOAD(slot->total_ns);
    struct tc_pair pair = tc_slot_pair(slot);
    times->user_ns = (int64_t)pair.user_ns;
    times->system_ns = (int64_t)(pair.sum_ns - pair.user_ns);")
threadclock_mutant(total_unfloored own_thread slot.h "tc_slot_raise_total(slot, sum_ns);" "")
# Clamping: a sample of another source taken as it is.
threadclock_mutant(no_clamp slot slot.h "user_ns < old.user_ns ? old.user_ns : user_ns > user_max_ns ? user_max_ns : user_ns" "user_ns")
# Freshness: a key that never changes; a now read that does not make the kernel bring its run time up to date.
threadclock_mutant(never_stale own_thread tick.h "((uint64_t)ts.tv_sec << 30) + (uint64_t)ts.tv_nsec + 1" "1")
threadclock_mutant(no_refresh own_thread own_thread.c "    refresh_total(cell); /*" "    (void)0; /*")
# Errors: a failed sample taken for a time.
threadclock_mutant(error_is_zero fallback own_thread.c "            return error;\n        tc_slot_merge" "            error = 0;\n        tc_slot_merge")
# TIDs used again: taken for the thread that had it; a list held on to although a TID in it was given anew.
threadclock_mutant(tid_is_identity tid_reuse thread_identity.c "if (inode != 0 && inode == identity->inode)" "if (1)")
threadclock_mutant(list_held_for_ever tid_reuse task_folder.c
  "    if (whole_circle(before, after))
        return true;" "    if (!whole_circle(before, after))
        return false;")
# A thread that is read by TID and ends its registration: its account begins anew.
threadclock_mutant(no_successor process_threads threads.c "own->identity.start != 0 && " "0 && ")
# A thread that has read itself and registers: what it has read stays behind.
threadclock_mutant(reads_stay_behind threads threads.c "error == 0 && tc_own_cell_used(tid)" "0")
# Interpolation: switches that nobody notices; an anchor that holds for ever; a later anchor's mark taken for an earlier
# one's; half of one anchor and half of another; one that is set over a handler's; a mark that stays although it was; a
# counter that runs too fast; an anchor that is ahead of the kernel as its thread was.
threadclock_mutant(interpolated_no_mark interpolated interpolated.h "TC_LOAD(tc_rseq_area()->rseq_cs) != tc_interpolation.mark" "0")
threadclock_mutant(interpolated_for_ever interpolated_fallback interpolated.h "elapsed >= window" "0")
threadclock_mutant(interpolated_mark_last interpolated_steps interpolated.h
  "    if (TC_LOAD(tc_rseq_area()->rseq_cs) != tc_interpolation.mark)
        return false;
    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    if (elapsed >= window)"
  "    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    if (elapsed >= window || TC_LOAD(tc_rseq_area()->rseq_cs) != tc_interpolation.mark)")
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
# Interpolation and forks; what is somebody else's; what is to be tried first.
threadclock_mutant(interpolated_no_recheck interpolated_steps own_thread.c "TC_LOAD(*epoch_word) == epoch, 1)" "1, 1)")
threadclock_mutant(interpolated_foreign interpolated_fallback interpolated.c
  " || (rseq_cs != 0 && rseq_cs != tc_interpolation.mark)" "")
threadclock_mutant(interpolated_untried interpolated_fallback interpolated.c " || !switch_clears_mark(area)" "")
threadclock_mutant(interpolated_unasked interpolated_fallback interpolated.c " || !is_registered(area)" "")
