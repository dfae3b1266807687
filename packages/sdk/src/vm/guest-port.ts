/**
 * What the guest says on its control port, line by line: `boot UPTIME RELEASE`, `start UPTIME`, `exit CODE UPTIME`,
 * `file BYTES NAME` followed by that many bytes, `shell`, `fail WORDS`, `end`.
 */

export interface GuestState {
  /** uname -r of the kernel that really runs. */
  release: string | undefined;
  /** Seconds from power-on to the first program of the guest. */
  bootSeconds: number | undefined;
  started: boolean;
  startSeconds: number | undefined;
  shell: boolean;
  exitCode: number | undefined;
  exitSeconds: number | undefined;
  /** Why the guest could not run the command. */
  failure: string | undefined;
  files: Map<string, Buffer>;
  ended: boolean;
}

/** Larger reports are nobody's intention. */
const MAX_FILE_BYTES = 256 << 20;

export interface GuestPort {
  readonly state: GuestState;
  /** Takes the next bytes from the port. */
  push(chunk: Uint8Array): void;
}

/** Reads the control port; `onChange` is called after each line understood. */
export function guestPort(onChange: () => void = () => {}): GuestPort {
  const state: GuestState = {
    release: undefined,
    bootSeconds: undefined,
    started: false,
    startSeconds: undefined,
    shell: false,
    exitCode: undefined,
    exitSeconds: undefined,
    failure: undefined,
    files: new Map(),
    ended: false,
  };
  let pending: Buffer = Buffer.alloc(0);
  let file: { name: string; missing: number; parts: Buffer[] } | undefined;

  const line = (text: string): void => {
    const [word = '', first = '', ...rest] = text.split(' ');
    if (word === 'boot') {
      state.bootSeconds = Number(first);
      state.release = rest.join(' ');
    } else if (word === 'start') {
      state.started = true;
      state.startSeconds = Number(first);
    } else if (word === 'shell') {
      state.shell = true;
    } else if (word === 'exit') {
      state.exitCode = Number(first);
      state.exitSeconds = Number(rest[0]);
      state.shell = false;
    } else if (word === 'fail') {
      state.failure = text.slice('fail '.length);
    } else if (word === 'end') {
      state.ended = true;
    } else if (word === 'file' && Number(first) <= MAX_FILE_BYTES) {
      file = { name: rest.join(' '), missing: Number(first), parts: [] };
    }
    onChange();
  };

  const push = (chunk: Uint8Array): void => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      if (file !== undefined) {
        const part = pending.subarray(0, file.missing);
        file.parts.push(part);
        file.missing -= part.length;
        pending = pending.subarray(part.length);
        if (file.missing > 0) return;
        state.files.set(file.name, Buffer.concat(file.parts));
        file = undefined;
        continue;
      }
      const newline = pending.indexOf(0x0a);
      if (newline < 0) return;
      const text = pending.toString('utf8', 0, newline);
      pending = pending.subarray(newline + 1);
      line(text);
    }
  };
  return { state, push };
}
