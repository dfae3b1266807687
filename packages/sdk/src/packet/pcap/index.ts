/** Capture files: the door of this room. */
export {
  type BatchFromCaptureOptions,
  batchFromCapture,
  batchFromCaptureSync,
} from './batch-from-capture.ts';
export { type CaptureReader, type CaptureSource, readCapture, readCaptureSync } from './read-capture.ts';
export type { CaptureFormat, CaptureInterface, CaptureRecord, CaptureVerdict } from './record.ts';
export type { VerdictInput, XdpActionName } from './verdict.ts';
export { type CapturedPacket, captureBytes, writeCapture } from './write-capture.ts';
export { CaptureWriter, type CaptureWriterOptions, type InterfaceInfo, type PacketInfo } from './writer.ts';
