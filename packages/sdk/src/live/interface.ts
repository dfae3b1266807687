/** An interface of a private namespace. */
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { type NativeHandle, native } from '../native.ts';
import { programHandle, XdpProgram } from '../object/index.ts';
import { type AttachMode, Attachment, type AttachPlace, type Hold, holdProgram } from './attachment.ts';
import type { NamespaceCore, Resource } from './core.ts';
import { newAddress, newNeighbour, parseIp } from './netlink/addresses.ts';
import { AF_INET6, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, RTM } from './netlink/constants.ts';
import { changeLink, type InterfaceCounters, type LinkState, linkByIndex } from './netlink/links.ts';
import { setOffloads } from './offloads.ts';
import { Port, type PortOptions } from './port.ts';

/** The state of an interface. */
export interface InterfaceState {
  readonly up: boolean;
  readonly carrier: boolean;
  readonly mac: string;
  readonly mtu: number;
  /** The bridge or bond that it is a port of. */
  readonly master: string | undefined;
  /** How an XDP program is attached, if one is. */
  readonly xdp: AttachMode | undefined;
  readonly counters: InterfaceCounters;
}

/** Options of {@link NetworkInterface.attach}. */
export interface AttachOptions {
  /** Default `native`. */
  readonly mode?: AttachMode;
  /** Default `link`, a BPF link; `netlink` where the kernel has none (before 5.9), or when it is asked for. */
  readonly method?: 'link' | 'netlink';
}

const XDP_ATTACHED_DRV = 1;
const XDP_PASS = 2;

let placeOf: (one: NetworkInterface) => { readonly core: NamespaceCore; readonly index: number };
let pairUp: (a: NetworkInterface, b: NetworkInterface) => void;

/** An interface: made by the methods of {@link NetworkNamespace}. It ends with its namespace, or by `remove()`. */
export class NetworkInterface {
  readonly name: string;
  /** Its number in its namespace. */
  readonly index: number;
  /** The name of the namespace that it is in, for messages. */
  readonly namespaceName: string;
  readonly #core: NamespaceCore;
  readonly #kind: string | undefined;
  #peer: NetworkInterface | undefined;
  #mac: string;
  #attached: Attachment | undefined;
  /** Holds a program that passes everything, so that a veth takes frames from XDP_TX and redirects. */
  #placeholder: { readonly program: NativeHandle; readonly hold: Hold } | undefined;

  static {
    placeOf = (one) => ({ core: one.#core, index: one.index });
    pairUp = (a, b) => {
      a.#peer = b;
      b.#peer = a;
    };
  }

  /** @internal */
  constructor(core: NamespaceCore, state: LinkState) {
    this.#core = core;
    this.name = state.name;
    this.index = state.index;
    this.namespaceName = core.name;
    this.#kind = state.kind;
    this.#mac = state.mac;
  }

  /** Its MAC address when it was made; a bond gives its ports another one, see {@link state}. */
  get mac(): string {
    return this.#mac;
  }

  /** The other end of a veth pair. */
  get peer(): NetworkInterface | undefined {
    return this.#peer;
  }

  toString(): string {
    return `${this.namespaceName}/${this.name}`;
  }

  /** What the kernel says of it now. */
  get state(): InterfaceState {
    const link = this.#core.linkState(this.index);
    const { attached } = link.xdp;
    return {
      up: link.up,
      carrier: link.carrier,
      mac: link.mac,
      mtu: link.mtu,
      master: link.master === 0 ? undefined : this.#core.linkState(link.master).name,
      xdp: attached === 0 ? undefined : attached === XDP_ATTACHED_DRV ? 'native' : 'generic',
      counters: link.counters,
    };
  }

  get counters(): InterfaceCounters {
    return this.#core.linkState(this.index).counters;
  }

  up(): this {
    this.#request('bringing up', RTM.newLink, 0, changeLink(this.index, { up: true }));
    return this;
  }

  down(): this {
    this.#request('taking down', RTM.newLink, 0, changeLink(this.index, { up: false }));
    return this;
  }

  /** Makes it a port of a bridge or a bond of its namespace, or of none. A bond wants it down. */
  setMaster(master: NetworkInterface | undefined): this {
    if (master !== undefined && master.#core !== this.#core) {
      throw invalidArgument(`${this}: its master must be in the same namespace, ${master} is not`);
    }
    // A bond takes no port that has a program, and gives its own one to its ports.
    if (master !== undefined && master.#kind === 'bond') this.#dropPlaceholder();
    const body = changeLink(this.index, { master: master?.index ?? 0 });
    this.#request(`giving master ${master?.name ?? 'none'} to`, RTM.newLink, 0, body);
    return this;
  }

  /** Gives it an address with the length of its network's prefix: `10.0.0.1/24`, `2001:db8::1/64`. */
  addAddress(address: string): this {
    const { ip, prefixLength } = parsePrefix(address);
    if (ip.family === AF_INET6) this.#enableIpv6();
    const body = newAddress(this.index, ip, prefixLength);
    this.#request(`adding address ${address} to`, RTM.newAddr, NLM_F_CREATE | NLM_F_EXCL, body);
    return this;
  }

  /** Says which MAC address an IP address of the neighbourhood has, so that nobody is asked. */
  addNeighbour(address: string, mac: string): this {
    const body = newNeighbour(this.index, parseIp(address), mac);
    this.#request(`adding neighbour ${address} to`, RTM.newNeigh, NLM_F_CREATE | NLM_F_REPLACE, body);
    return this;
  }

  /**
   * Attaches an XDP program. In native mode the other end of a veth pair is made ready for XDP_TX, too
   * (see {@link acceptXdpFrames}).
   * @throws XdpError `XDP_ATTACH_FAILED` where the driver cannot, with what the kernel says
   */
  attach(program: XdpProgram, options?: AttachOptions): Attachment {
    const { mode = 'native', method = 'link' } = expectOptions('attach', options, ['mode', 'method']);
    if (!(program instanceof XdpProgram)) {
      throw invalidArgument(`attach: expected an XdpProgram, got ${describeValue(program)}`);
    }
    if (mode !== 'native' && mode !== 'generic') {
      throw invalidArgument(`attach: mode must be 'native' or 'generic', got ${describeValue(mode)}`);
    }
    if (method !== 'link' && method !== 'netlink') {
      throw invalidArgument(`attach: method must be 'link' or 'netlink', got ${describeValue(method)}`);
    }
    const handle = programHandle(program);
    if (this.#attached !== undefined) {
      throw new XdpError('XDP_ATTACH_FAILED', `${this} has a program already: close that attachment first`);
    }
    this.#dropPlaceholder();
    const hold = holdProgram(this.#place(), handle, mode, program.name, method);
    if (mode === 'native') {
      this.#afterAttaching();
      this.#peer?.acceptXdpFrames();
    }
    const attachment = new Attachment(mode, hold.method, () => {
      hold.release();
      this.#attached = undefined;
      this.#core.resources.delete(attachment);
    });
    this.#attached = attachment;
    this.#core.resources.add(attachment);
    return attachment;
  }

  /**
   * Makes a veth take frames that XDP sends to it. Such frames (XDP_TX on the other end, XDP_REDIRECT to the other end)
   * are dropped by a veth that polls nothing, and it polls only with a program of its own (veth_xdp_xmit): so one that
   * passes everything is attached. `attach` replaces it. The port of a bond polls when the bond has a program.
   */
  acceptXdpFrames(): this {
    if (this.#attached !== undefined || this.#placeholder !== undefined) return this;
    if (this.#kind !== 'veth' || this.#core.closed || this.#isBondPort()) return this;
    // One that copes with fragments takes jumbo frames, too; kernels before 5.18 know no such programs.
    const withFrags = native().loadBareProgram(1, XDP_PASS);
    const program = typeof withFrags === 'number' ? native().loadBareProgram(0, XDP_PASS) : withFrags;
    if (typeof program === 'number') {
      throw new XdpError('XDP_LOAD_FAILED', `${this}: cannot load a program that passes everything`, {
        syscall: 'BPF_PROG_LOAD',
        errno: -program,
      });
    }
    const hold = holdProgram(this.#place(), program, 'native', 'a program that passes everything');
    this.#placeholder = { program, hold };
    this.#core.resources.add(this.#placeholderResource);
    this.#afterAttaching();
    return this;
  }

  /** Opens a port: everything that arrives from now on is kept, and frames can be sent. */
  open(options?: PortOptions): Port {
    this.#core.requireOpen();
    return new Port(this.#core, { index: this.index, name: `${this}` }, options);
  }

  /** Removes it from its namespace, and with it the other end of a pair. */
  remove(): void {
    this.#attached?.close();
    this.#dropPlaceholder();
    this.#request('removing', RTM.delLink, 0, linkByIndex(this.index));
  }

  readonly #placeholderResource: Resource = { close: () => this.#dropPlaceholder() };

  #dropPlaceholder(): void {
    const placeholder = this.#placeholder;
    if (placeholder === undefined) return;
    this.#placeholder = undefined;
    this.#core.resources.delete(this.#placeholderResource);
    placeholder.hold.release();
    native().closeHandle(placeholder.program);
  }

  /** A bond's port has the bond's program, and can have none of its own. */
  #isBondPort(): boolean {
    const { master } = this.#core.linkState(this.index);
    return master !== 0 && this.#core.linkState(master).kind === 'bond';
  }

  /** A veth turns on GRO when it gets a program, which would merge what one sent as several (veth_enable_xdp). */
  #afterAttaching(): void {
    if (this.#kind === 'veth') setOffloads(this.#core, this.name, false);
  }

  #place(): AttachPlace {
    return { core: this.#core, index: this.index, name: `${this}`, kind: this.#kind };
  }

  #request(doing: string, type: number, flags: number, body: Uint8Array): void {
    this.#core.request(`${doing} ${this.name}`, type, flags, body);
  }

  #enableIpv6(): void {
    const conf = `/proc/sys/net/ipv6/conf/${this.name}`;
    // 1: no link-local address, whose owner would send neighbour and listener reports into every test.
    this.#core.writeFile(`${conf}/addr_gen_mode`, '1');
    this.#core.writeFile(`${conf}/disable_ipv6`, '0');
  }
}

/** An address and the length of its prefix, from `10.0.0.1/24`; without a length, that of the whole address. */
export function parsePrefix(text: string): { ip: ReturnType<typeof parseIp>; prefixLength: number } {
  const [address = '', length, ...rest] = String(text).split('/');
  const ip = parseIp(address);
  const most = ip.bytes.length * 8;
  if (rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) {
    throw invalidArgument(`a prefix is written as 10.0.0.0/24, got ${describeValue(text)}`);
  }
  const prefixLength = length === undefined ? most : expectInteger('prefix length', Number(length), 0, most);
  return { ip, prefixLength };
}

/** The one object of an interface. */
export function interfaceOf(core: NamespaceCore, state: LinkState): NetworkInterface {
  let known = core.interfaces.get(state.index);
  if (known?.name !== state.name) {
    known = new NetworkInterface(core, state);
    core.interfaces.set(state.index, known);
  }
  return known;
}

/** Where an interface is, for the rest of this room. */
export function interfacePlace(one: NetworkInterface): {
  readonly core: NamespaceCore;
  readonly index: number;
} {
  return placeOf(one);
}

/** Notes that two interfaces are the ends of one pair. */
export function notePair(a: NetworkInterface, b: NetworkInterface): void {
  pairUp(a, b);
}
