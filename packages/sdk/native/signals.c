/* Keeps signals away from the kernel's long calls; see signals.h. */
#include "signals.h"

void signals_hold(sigset_t *old)
{
	/* The first four end or stop the process as a person asked; the others report a fault of this very thread. */
	static const int never_held[] = { SIGINT,  SIGTERM, SIGQUIT, SIGHUP,  SIGTSTP, SIGSEGV,
					  SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGABRT };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < sizeof(never_held) / sizeof(never_held[0]); i++)
		sigdelset(&held, never_held[i]);
	pthread_sigmask(SIG_BLOCK, &held, old);
}

void signals_release(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}
