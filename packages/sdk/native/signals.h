/* Keeps signals away from the kernel's long calls. */
#pragma once

#include <signal.h>

/* Blocks the signals that a thread can do without for a moment, and gives back its old mask.
 *
 * BPF_PROG_TEST_RUN with repeat > 1 and the verifier look for pending signals and give up (EINTR, EAGAIN), although
 * their work has changed maps by then. A profiler sends a signal every millisecond: a call that takes longer would
 * never come to its end, and one that is made again counts twice in the program's maps. A blocked signal is no pending
 * one to the kernel; it arrives when the mask is restored. What remains (SIGSTOP, a debugger) is rare: retry. */
void signals_hold(sigset_t *old);
/* Holds those too that end or stop the process as a person asked: for calls that take no longer than a verification. */
void signals_hold_all(sigset_t *old);
void signals_release(const sigset_t *old);
