/** Filters of a port, compiled to classic BPF: the kernel keeps what does not match out of the ring. */
import { endianness } from 'node:os';
import { expectInteger, expectOptions } from '../errors.ts';

/** What frames must have, all of it. VLAN tags count for nothing: the kernel takes the outer one off first. */
export interface FrameFilter {
  /** `0x0800` for IPv4, `0x86dd` for IPv6, `0x0806` for ARP. */
  readonly etherType?: number;
  /** Of an IPv4 header, or the first next header of an IPv6 one: 6 for TCP, 17 for UDP. */
  readonly ipProtocol?: number;
  /** Of TCP or UDP over IPv4, first fragments only, or right behind an IPv6 header. */
  readonly sport?: number;
  readonly dport?: number;
}

/** linux/bpf_common.h */
const LD_H_ABS = 0x28;
const LD_B_ABS = 0x30;
const LD_H_IND = 0x48;
const LDX_IMM = 0x01;
const LDX_MSH = 0xb1;
const JEQ = 0x15;
const JSET = 0x45;
const RET = 0x06;

const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const ETHERNET_BYTES = 14;
const WHOLE_FRAME = 0x4_0000;

interface Instruction {
  readonly code: number;
  readonly k: number;
  /** Where a jump goes to that is taken or not: the next instruction, or `drop`. */
  readonly onTrue?: 'drop';
  readonly onFalse?: 'drop';
}

const load = (code: number, k: number): Instruction => ({ code, k });
const require = (k: number): Instruction => ({ code: JEQ, k, onFalse: 'drop' });

/** The tests of one version of IP. */
function ipTests(version: 4 | 6, filter: FrameFilter): Instruction[] {
  const tests: Instruction[] = [];
  if (filter.ipProtocol !== undefined) {
    tests.push(load(LD_B_ABS, ETHERNET_BYTES + (version === 4 ? 9 : 6)), require(filter.ipProtocol));
  }
  if (filter.sport === undefined && filter.dport === undefined) return tests;
  if (version === 4) {
    // A later fragment has no ports; the header's length is in its first byte.
    tests.push(load(LD_H_ABS, ETHERNET_BYTES + 6), { code: JSET, k: 0x1fff, onTrue: 'drop' });
    tests.push(load(LDX_MSH, ETHERNET_BYTES));
  } else {
    tests.push(load(LDX_IMM, 40));
  }
  if (filter.sport !== undefined) tests.push(load(LD_H_IND, ETHERNET_BYTES), require(filter.sport));
  if (filter.dport !== undefined) tests.push(load(LD_H_IND, ETHERNET_BYTES + 2), require(filter.dport));
  return tests;
}

/** The instructions as struct sock_filter. */
export function compileFilter(filter: FrameFilter): Uint8Array {
  const { etherType, ipProtocol, sport, dport } = expectOptions('filter', filter, [
    'etherType',
    'ipProtocol',
    'sport',
    'dport',
  ]);
  if (etherType !== undefined) expectInteger('filter.etherType', etherType, 0, 0xffff);
  if (ipProtocol !== undefined) expectInteger('filter.ipProtocol', ipProtocol, 0, 255);
  if (sport !== undefined) expectInteger('filter.sport', sport, 0, 0xffff);
  if (dport !== undefined) expectInteger('filter.dport', dport, 0, 0xffff);
  const code: Instruction[] = [load(LD_H_ABS, 12)];
  const onlyType = ipProtocol === undefined && sport === undefined && dport === undefined;
  if (onlyType) {
    if (etherType !== undefined) code.push(require(etherType));
    return encode([...code, { code: RET, k: WHOLE_FRAME }]);
  }
  const accept: Instruction = { code: RET, k: WHOLE_FRAME };
  const wants = (type: number): boolean => etherType === undefined || etherType === type;
  const four = wants(IPV4) ? [...ipTests(4, filter), accept] : [];
  const six = wants(IPV6) ? [require(IPV6), ...ipTests(6, filter), accept] : [];
  if (four.length === 0) return encode([...code, ...six]);
  // Not IPv4: over all of its tests, to those of IPv6.
  const branch = { code: JEQ, k: IPV4, skip: four.length };
  return encode([...code, branch, ...four, ...six]);
}

function encode(instructions: readonly (Instruction & { readonly skip?: number })[]): Uint8Array {
  const little = endianness() === 'LE';
  const view = new DataView(new ArrayBuffer((instructions.length + 1) * 8));
  instructions.forEach(({ code, k, onTrue, onFalse, skip }, i) => {
    const toDrop = instructions.length - i - 1;
    view.setUint16(i * 8, code, little);
    view.setUint8(i * 8 + 2, onTrue === 'drop' ? toDrop : 0);
    view.setUint8(i * 8 + 3, skip ?? (onFalse === 'drop' ? toDrop : 0));
    view.setUint32(i * 8 + 4, k, little);
  });
  // The last one is where `drop` leads to.
  view.setUint16(instructions.length * 8, RET, little);
  return new Uint8Array(view.buffer);
}
