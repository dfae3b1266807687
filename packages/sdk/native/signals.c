/* Keeps signals away from the kernel's long calls; see signals.h. */
#include "signals.h"

#include <stdbool.h>
#include <stddef.h>

static void hold(sigset_t *old, bool asked_too)
{
	static const int asked[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP };
	/* Reports of a fault of this very thread. */
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&held, faults[i]);
	for (size_t i = 0; !asked_too && i < sizeof(asked) / sizeof(asked[0]); i++)
		sigdelset(&held, asked[i]);
	pthread_sigmask(SIG_BLOCK, &held, old);
}

void signals_hold(sigset_t *old)
{
	hold(old, false);
}

void signals_hold_all(sigset_t *old)
{
	hold(old, true);
}

void signals_release(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}
