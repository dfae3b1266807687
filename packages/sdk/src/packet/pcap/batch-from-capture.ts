/** The packets of a capture as a batch to run. */
import { expectOptions, invalidArgument, XdpError } from '../../errors.ts';
import { type PacketBatch, PacketBatchBuilder } from '../packet-batch.ts';
import { type CaptureSource, readCapture, readCaptureSync } from './read-capture.ts';
import { type CaptureRecord, LINKTYPE_ETHERNET } from './record.ts';

/** Options of {@link batchFromCapture}. */
export interface BatchFromCaptureOptions {
  /** The link types to take; default Ethernet alone. `any` takes bytes of every kind as packets. */
  readonly linkTypes?: readonly number[] | 'any';
  /** Packets that the capture has cut short: an error (default), left out, or taken as they are. */
  readonly truncated?: 'error' | 'skip' | 'keep';
  /** Takes only packets for which this is true. */
  readonly filter?: (record: CaptureRecord) => boolean;
}

/**
 * Reads all packets of a capture into one batch.
 * @throws XdpError `XDP_FILE_INVALID` for a damaged file, for a packet of another link type, for one cut short.
 */
export async function batchFromCapture(
  source: CaptureSource,
  options?: BatchFromCaptureOptions,
): Promise<PacketBatch> {
  const collector = new Collector(options);
  for await (const record of readCapture(source)) collector.add(record);
  return collector.build();
}

/** The same without waiting, for bytes that are there already. */
export function batchFromCaptureSync(
  source: Uint8Array | Iterable<Uint8Array>,
  options?: BatchFromCaptureOptions,
): PacketBatch {
  const collector = new Collector(options);
  for (const record of readCaptureSync(source)) collector.add(record);
  return collector.build();
}

class Collector {
  readonly #builder = new PacketBatchBuilder();
  readonly #linkTypes: ReadonlySet<number> | undefined;
  readonly #truncated: 'error' | 'skip' | 'keep';
  readonly #filter: ((record: CaptureRecord) => boolean) | undefined;

  constructor(options: BatchFromCaptureOptions | undefined) {
    const {
      linkTypes = [LINKTYPE_ETHERNET],
      truncated = 'error',
      filter,
    } = expectOptions('batchFromCapture', options, ['linkTypes', 'truncated', 'filter']);
    if (linkTypes !== 'any' && !(Array.isArray(linkTypes) && linkTypes.every(Number.isInteger))) {
      throw invalidArgument("batchFromCapture: linkTypes must be an array of numbers or 'any'");
    }
    if (!['error', 'skip', 'keep'].includes(truncated)) {
      throw invalidArgument("batchFromCapture: truncated must be 'error', 'skip' or 'keep'");
    }
    if (filter !== undefined && typeof filter !== 'function') {
      throw invalidArgument('batchFromCapture: filter must be a function');
    }
    this.#linkTypes = linkTypes === 'any' ? undefined : new Set(linkTypes);
    this.#truncated = truncated;
    this.#filter = filter;
  }

  add(record: CaptureRecord): void {
    if (this.#filter && !this.#filter(record)) return;
    if (this.#linkTypes && !this.#linkTypes.has(record.linkType)) {
      throw unsuitable(
        record,
        `has link type ${record.linkType}, and only ${[...this.#linkTypes].join(', ')} (1 is Ethernet) was asked for; see the option linkTypes`,
      );
    }
    if (record.bytes.length < record.originalLength && this.#truncated !== 'keep') {
      if (this.#truncated === 'skip') return;
      throw unsuitable(
        record,
        `was cut to ${record.bytes.length} of ${record.originalLength} bytes when it was captured; see the option truncated`,
      );
    }
    this.#builder.add(record.bytes);
  }

  build(): PacketBatch {
    return this.#builder.build();
  }
}

function unsuitable(record: CaptureRecord, what: string): XdpError {
  return new XdpError('XDP_FILE_INVALID', `capture file: packet ${record.index} ${what}`);
}
