/** Frames that can be told apart. */
import { eth, ipv4, type Packet, packet, payload, udp } from 'xdptest/packet';

export interface Ends {
  readonly src: string;
  readonly dst: string;
}

/** A UDP frame with `sport` as its number. */
export function numbered(ends: Ends, sport: number, bytes = 18): Packet {
  return packet(
    eth(ends),
    ipv4({ src: '10.0.0.1', dst: '10.0.0.2' }),
    udp({ sport, dport: 4242 }),
    payload(new Uint8Array(bytes)),
  );
}
