/** A routing netlink socket of one namespace: requests, their answers, and the kernel's own words on failures. */
import { constants } from 'node:os';
import { XdpError, type XdpErrorCode } from '../../errors.ts';
import { systemError } from '../../kernel/index.ts';
import { type NativeHandle, native } from '../../native.ts';
import {
  AF_NETLINK,
  NETLINK_CAP_ACK,
  NETLINK_EXT_ACK,
  NETLINK_ROUTE,
  NLM_F_ACK,
  NLM_F_ACK_TLVS,
  NLM_F_CAPPED,
  NLM_F_DUMP,
  NLM_F_REQUEST,
  NLMSG_DONE,
  NLMSG_ERROR,
  NLMSGERR_ATTR_MSG,
  SOCK_RAW,
  SOL_NETLINK,
} from './constants.ts';
import { Attributes, readS32, type WireMessage, wireMessage, wireMessages } from './wire.ts';

/** A request that the kernel refused. */
export interface NetlinkRefusal {
  readonly errno: number;
  /** What the kernel said (extended acknowledgement, kernel 4.12), or undefined. */
  readonly words: string | undefined;
}

export interface NetlinkAnswer {
  readonly messages: readonly WireMessage[];
  readonly refusal: NetlinkRefusal | undefined;
}

const on = new Uint8Array(new Uint32Array([1]).buffer);

export class Netlink {
  readonly #socket: NativeHandle;
  #sequence = 0;

  /** @throws XdpError `XDP_NOT_PERMITTED` without CAP_SYS_ADMIN, which entering a namespace needs */
  constructor(netns: NativeHandle) {
    const socket = native().netnsSocket(netns, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (typeof socket === 'number') throw systemError('opening a netlink socket', 'socket', -socket);
    this.#socket = socket;
    // Answers with the reason in words, and without the request in them.
    native().socketOption(socket, SOL_NETLINK, NETLINK_EXT_ACK, on);
    native().socketOption(socket, SOL_NETLINK, NETLINK_CAP_ACK, on);
  }

  /** Sends a request and gives its answer, a refusal too. */
  ask(type: number, flags: number, body: Uint8Array): NetlinkAnswer {
    this.#sequence += 1;
    const request = wireMessage(type, flags | NLM_F_REQUEST | NLM_F_ACK, this.#sequence, body);
    const bytes = native().netlinkExchange(this.#socket, request);
    if (typeof bytes === 'number') throw systemError('asking the kernel by netlink', 'sendto', -bytes);
    const messages: WireMessage[] = [];
    for (const message of wireMessages(bytes)) {
      if (message.type === NLMSG_ERROR) return { messages, refusal: refusalOf(message) };
      if (message.type === NLMSG_DONE) {
        const errno = message.body.length >= 4 ? -readS32(message.body, 0) : 0;
        return { messages, refusal: errno > 0 ? { errno, words: undefined } : undefined };
      }
      messages.push(message);
    }
    return { messages, refusal: undefined };
  }

  /** Sends a request that has to succeed. `doing` says what it does, for the error. */
  request(doing: string, type: number, flags: number, body: Uint8Array): readonly WireMessage[] {
    const { messages, refusal } = this.ask(type, flags, body);
    if (refusal !== undefined) throw netlinkError(doing, refusal);
    return messages;
  }

  /** All objects of a kind. */
  dump(doing: string, type: number, body: Uint8Array): readonly WireMessage[] {
    return this.request(doing, type, NLM_F_DUMP, body);
  }

  close(): void {
    native().closeHandle(this.#socket);
  }
}

function refusalOf(message: WireMessage): NetlinkRefusal | undefined {
  const errno = -readS32(message.body, 0);
  if (errno <= 0) return undefined;
  // The error number, the request's header (and its body, if it was not asked away), then attributes.
  const capped = (message.flags & NLM_F_CAPPED) !== 0;
  const hasWords = (message.flags & NLM_F_ACK_TLVS) !== 0;
  const start = capped ? 20 : 4 + readS32(message.body, 4);
  return {
    errno,
    words: hasWords ? new Attributes(message.body.subarray(start)).text(NLMSGERR_ATTR_MSG) : undefined,
  };
}

/** The error of a refused request. */
export function netlinkError(doing: string, refusal: NetlinkRefusal, code?: XdpErrorCode): XdpError {
  const { errno, words } = refusal;
  if (errno === constants.errno.ENODEV && code === undefined) {
    return new XdpError('XDP_NO_SUCH_INTERFACE', `${doing}: there is no such interface`, {
      syscall: 'netlink',
      errno,
    });
  }
  return systemError(
    doing,
    'netlink',
    errno,
    code ?? 'XDP_SYSCALL_FAILED',
    words === undefined ? undefined : `the kernel says: ${words}`,
  );
}
