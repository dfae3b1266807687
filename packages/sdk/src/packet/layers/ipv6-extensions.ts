/** What the extension headers of IPv6 have in common (RFC 8200, section 4). */
import { lengthAuto, type Scan } from '../codec.ts';
import { packetInvalid } from '../header.ts';
import { ipProtocols, kindInIpv6 } from '../protocols.ts';

/** The length field of an extension header: in units of eight bytes, without the first eight. */
export const extensionLength = lengthAuto((_total, header) => {
  if (header % 8 !== 0)
    throw packetInvalid(`an IPv6 extension header has a multiple of 8 bytes, this one ${header}`);
  return header / 8 - 1;
});

/** The length in bytes of the extension header at `scan.offset`, or 0 if it was refused because it is not all there. */
export function extensionBytes(scan: Scan, name: string): number {
  const { available } = scan;
  if (available < 8) {
    scan.refuse(`${available} bytes, but an IPv6 ${name} header has at least 8`);
    return 0;
  }
  const header = (scan.bytes[scan.offset + 1]! + 1) * 8;
  if (header <= available) return header;
  scan.refuse(`IPv6 ${name} header of ${header} bytes, but ${available} are there`);
  return 0;
}

/** Goes on with what a next header field in IPv6 names. */
export function nextInIpv6(scan: Scan, protocol: number): void {
  if (protocol === ipProtocols.none) scan.rawNext('IPv6 next header 59: no next header');
  else scan.next(kindInIpv6(protocol), 'IPv6 next header', protocol);
}
