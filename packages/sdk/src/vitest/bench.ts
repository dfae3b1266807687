/** Benchmarks in tests. */
import { TestRunner } from 'vitest';
import { type BenchOptions, type BenchResult, benchXdp } from '../bench/index.ts';
import { invalidArgument } from '../errors.ts';
import type { XdpProgram } from '../object/index.ts';
import type { PacketLike } from '../packet/index.ts';
import { recordOf } from './records.ts';

/**
 * Measures a program on one packet, in a test, and has the run print lines of `go test -bench` for it:
 * `BenchmarkBalance-2  1000000  85.1 ns/op`. The result is for `expect`.
 *
 * Ten measurements of a tenth of a second, and as many of an empty program, take some three seconds.
 * @throws XdpError as `benchXdp`
 */
export async function xdpBench(
  name: string,
  program: XdpProgram,
  packet: PacketLike,
  options?: Omit<BenchOptions, 'name'>,
): Promise<BenchResult> {
  const task = TestRunner.getCurrentTest();
  if (task === undefined) throw invalidArgument('xdpBench: call it in a test');
  const result = await benchXdp(program, packet, { ...options, name });
  const record = recordOf(task);
  record.benchmarks ??= [];
  record.benchmarks.push(...result.toString().split('\n'));
  return result;
}
