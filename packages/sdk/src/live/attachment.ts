/** Attaching XDP programs to interfaces: by a BPF link, or by netlink where the kernel has none for XDP (before 5.9). */
import { constants } from 'node:os';
import { XdpError } from '../errors.ts';
import { errnoName, systemError } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import type { NamespaceCore, Resource } from './core.ts';
import { RTM, XDP_FLAGS } from './netlink/constants.ts';
import { changeXdp } from './netlink/links.ts';

/** `native`: in the driver, before the kernel makes a socket buffer of the frame; `generic`: after. */
export type AttachMode = 'native' | 'generic';

const { EOPNOTSUPP, EBUSY, EPERM, ERANGE, ENOSPC } = constants.errno;

/** A program on an interface, until it is closed. */
export class Attachment implements Resource {
  readonly mode: AttachMode;
  /** How it is held: by a BPF link, or (kernels before 5.9) by the interface itself. */
  readonly method: 'link' | 'netlink';
  #detach: (() => void) | undefined;

  /** @internal */
  constructor(mode: AttachMode, method: 'link' | 'netlink', detach: () => void) {
    this.mode = mode;
    this.method = method;
    this.#detach = detach;
  }

  /** Takes the program off the interface. */
  close(): void {
    const detach = this.#detach;
    this.#detach = undefined;
    detach?.();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** How a program is held on an interface, and how to let it go. */
export interface Hold {
  readonly method: 'link' | 'netlink';
  readonly release: () => void;
}

/** Where to attach, as it is called in messages. */
export interface AttachPlace {
  readonly core: NamespaceCore;
  readonly index: number;
  readonly name: string;
  readonly kind: string | undefined;
}

/**
 * @param what the program's name, for messages
 * @param method `netlink` leaves links out
 * @throws XdpError `XDP_ATTACH_FAILED`, `XDP_NOT_PERMITTED`
 */
export function holdProgram(
  place: AttachPlace,
  program: NativeHandle,
  mode: AttachMode,
  what: string,
  method: 'link' | 'netlink' = 'link',
): Hold {
  const { core, index } = place;
  const flags = mode === 'native' ? XDP_FLAGS.drvMode : XDP_FLAGS.skbMode;
  if (method === 'link') {
    const link = native().netnsAttach(core.netns, program, index, flags);
    if (typeof link !== 'number') return { method, release: () => native().closeHandle(link) };
    if (-link === EPERM) throw systemError(`attaching ${what} to ${place.name}`, 'BPF_LINK_CREATE', EPERM);
  }
  // By netlink it works on kernels without links; where both fail, netlink has the kernel's reason in words.
  const body = changeXdp(index, native().handleNumber(program), flags | XDP_FLAGS.updateIfNoExist);
  const { refusal } = core.netlink.ask(RTM.newLink, 0, body);
  if (refusal !== undefined) throw attachError(place, mode, what, refusal.errno, refusal.words);
  return {
    method: 'netlink',
    release: () => {
      if (!core.closed) core.netlink.ask(RTM.newLink, 0, changeXdp(index, -1, flags));
    },
  };
}

function attachError(
  place: AttachPlace,
  mode: AttachMode,
  what: string,
  errno: number,
  words: string | undefined,
): XdpError {
  const hints: Readonly<Record<number, string>> = {
    [EOPNOTSUPP]: `the driver of ${place.name}${place.kind === undefined ? '' : ` (${place.kind})`} cannot run XDP programs in ${mode} mode here; attach with { mode: 'generic' }, which every Ethernet interface can`,
    [EBUSY]: `${place.name} has a program already: close that attachment first`,
    [ERANGE]: `the MTU of ${place.name}, or of the other end of its pair, is too large for XDP: at most 3,498 bytes or a program in SEC("xdp.frags")`,
    [ENOSPC]: `${place.name} has fewer receive queues than the other end of its pair has transmit queues`,
  };
  const said = words === undefined ? '' : `; the kernel says: ${words}`;
  const hint = hints[errno];
  return new XdpError(
    'XDP_ATTACH_FAILED',
    `attaching ${what} to ${place.name} in ${mode} mode failed with ${errnoName(errno)}${hint === undefined ? '' : `: ${hint}`}${said}`,
    { syscall: 'BPF_LINK_CREATE', errno },
  );
}
