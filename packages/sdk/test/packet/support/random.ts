/** Random numbers that are the same in every run (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `max`. */
  upTo(max: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * (max + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.upTo(values.length - 1)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.upTo(255));
  }

  mac(): string {
    return `02:${Array.from({ length: 5 }, () => this.upTo(255).toString(16).padStart(2, '0')).join(':')}`;
  }

  ipv4(): string {
    return `10.${this.upTo(255)}.${this.upTo(255)}.${this.upTo(254)}`;
  }

  ipv6(): string {
    return `2001:db8:${this.upTo(0xffff).toString(16)}::${(this.upTo(0xfffe) + 1).toString(16)}`;
  }

  /** A port that no protocol is known for. */
  port(): number {
    return 50_000 + this.upTo(9_999);
  }
}
