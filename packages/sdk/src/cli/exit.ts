/** Exit codes of all commands: 0 all is well, 1 it is not (each command says what that is), 2 a wrong command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
