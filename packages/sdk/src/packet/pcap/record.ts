/** What a capture file holds, whichever of the two formats it has. */

/** The link type of Ethernet frames, the only ones that XDP sees on a network card. */
export const LINKTYPE_ETHERNET = 1;

/** An interface that packets were captured on. A pcap file has exactly one. */
export interface CaptureInterface {
  /** Its index in the list of interfaces; counted on over the sections of a pcapng file. */
  readonly id: number;
  /** A LINKTYPE_ number of tcpdump.org; 1 is Ethernet. */
  readonly linkType: number;
  /** The most bytes kept of a packet; 0 for no limit. */
  readonly snapLength: number;
  readonly name?: string;
  readonly description?: string;
  readonly comments: readonly string[];
}

/** What was decided about a packet, as pcapng's `epb_verdict` records it. */
export type CaptureVerdict =
  /** `xdp`: the value that an XDP program returned; `tc`: that of a program on a traffic control hook. */
  | { readonly kind: 'xdp' | 'tc'; readonly value: bigint }
  /** Any other type: hardware (0), or one that was added to the format since. */
  | { readonly kind: 'other'; readonly type: number; readonly bytes: Uint8Array };

/** One packet of a capture file. */
export interface CaptureRecord {
  /** Its number in the file, from 0. */
  readonly index: number;
  /** What was kept of the packet: a view, not a copy. */
  readonly bytes: Uint8Array;
  /** The length on the wire; larger than `bytes.length` when the packet was cut. */
  readonly originalLength: number;
  /** Nanoseconds since 1970; undefined for a block type without time. */
  readonly timestampNs: bigint | undefined;
  readonly interfaceId: number;
  readonly linkType: number;
  readonly comments: readonly string[];
  /** pcapng's `epb_flags`: direction, reception type, length of the FCS, link-layer errors. */
  readonly flags?: number;
  readonly verdict?: CaptureVerdict;
}

/** The formats of capture files. */
export type CaptureFormat = 'pcap' | 'pcapng';

/** Above this a length is taken for damage; the limit is Wireshark's for a block. */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024;

/** The least that a packet may be long whatever the snap length says; the limit is libpcap's. */
export const MAX_PACKET_BYTES = 262_144;
