/** The inside of a namespace: its descriptor, its netlink socket and what has to be closed before it. */
import { constants } from 'node:os';
import { XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import type { NetworkInterface } from './interface.ts';
import { AF_INET, RTM, SOCK_DGRAM } from './netlink/constants.ts';
import { type LinkState, linkByIndex, linkByName, linkHeader, readLink } from './netlink/links.ts';
import { Netlink } from './netlink/netlink.ts';
import { WireWriter } from './netlink/wire.ts';

/** Something that lives in a namespace and ends with it. */
export interface Resource {
  close(): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { EPERM, ENODEV } = constants.errno;

export class NamespaceCore {
  readonly name: string;
  readonly netns: NativeHandle;
  readonly netlink: Netlink;
  readonly resources = new Set<Resource>();
  /** One object for each interface, by index: what is attached to it is known to all who ask for it. */
  readonly interfaces = new Map<number, NetworkInterface>();
  #control: NativeHandle | undefined;
  #closed = false;

  /** @param descriptor of a namespace that exists; without it a new one is made */
  constructor(name: string, descriptor?: number) {
    const netns = descriptor === undefined ? native().netnsCreate() : native().duplicate(descriptor);
    if (typeof netns === 'number') throw namespaceError(name, -netns, descriptor);
    this.name = name;
    this.netns = netns;
    this.netlink = new Netlink(netns);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws XdpError `XDP_CLOSED` */
  requireOpen(): void {
    if (this.#closed) throw new XdpError('XDP_CLOSED', `network namespace ${this.name} was closed`);
  }

  /** A socket of the namespace, to be closed by the caller. */
  socket(family: number, type: number, protocol: number): NativeHandle {
    this.requireOpen();
    const socket = native().netnsSocket(this.netns, family, type, protocol);
    if (typeof socket === 'number') {
      throw systemError(`opening a socket in ${this.name}`, 'socket', -socket);
    }
    return socket;
  }

  /** A socket for ioctls. */
  control(): NativeHandle {
    this.#control ??= this.socket(AF_INET, SOCK_DGRAM, 0);
    return this.#control;
  }

  request(doing: string, type: number, flags: number, body: Uint8Array): void {
    this.requireOpen();
    this.netlink.request(`${doing} in ${this.name}`, type, flags, body);
  }

  linkState(which: number | string): LinkState {
    this.requireOpen();
    const body = typeof which === 'number' ? linkByIndex(which) : linkByName(which);
    const { messages, refusal } = this.netlink.ask(RTM.getLink, 0, body);
    const message = messages[0];
    if (message !== undefined) return readLink(message);
    const errno = refusal?.errno ?? ENODEV;
    if (errno !== ENODEV)
      throw systemError(`looking for interface ${which} in ${this.name}`, 'netlink', errno);
    throw new XdpError(
      'XDP_NO_SUCH_INTERFACE',
      `there is no interface ${which} in ${this.name}; it has ${this.linkStates()
        .map((link) => link.name)
        .join(', ')}`,
    );
  }

  linkStates(): LinkState[] {
    this.requireOpen();
    const body = linkHeader(new WireWriter(), 0).bytes();
    return this.netlink.dump(`listing the interfaces of ${this.name}`, RTM.getLink, body).map(readLink);
  }

  /** The text of a file in /proc/net or /proc/sys/net as it is in the namespace. */
  readFile(path: string): string {
    this.requireOpen();
    const bytes = native().netnsRead(this.netns, path);
    if (typeof bytes === 'number') throw systemError(`reading ${path} in ${this.name}`, 'read', -bytes);
    return decoder.decode(bytes);
  }

  writeFile(path: string, text: string): void {
    this.requireOpen();
    const result = native().netnsWrite(this.netns, path, encoder.encode(text));
    if (result < 0) {
      throw systemError(`writing ${JSON.stringify(text)} to ${path} in ${this.name}`, 'write', -result);
    }
  }

  close(): void {
    if (this.#closed) return;
    for (const resource of [...this.resources].reverse()) resource.close();
    this.resources.clear();
    this.#closed = true;
    if (this.#control !== undefined) native().closeHandle(this.#control);
    this.netlink.close();
    native().closeHandle(this.netns);
  }
}

function namespaceError(name: string, errno: number, descriptor: number | undefined): XdpError {
  if (descriptor !== undefined) {
    return systemError(`opening network namespace ${name} by descriptor ${descriptor}`, 'fcntl', errno);
  }
  const hint = errno === EPERM ? undefined : 'is their number limited (user.max_net_namespaces)?';
  return systemError(`making network namespace ${name}`, 'unshare', errno, 'XDP_SYSCALL_FAILED', hint);
}
