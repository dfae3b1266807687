/**
 * Writes cpio archives of the kind that Linux unpacks as an initramfs: "newc", see
 * Documentation/driver-api/early-userspace/buffer-format.rst. Several archives may follow each other.
 */
import { invalidArgument } from '../errors.ts';

const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const S_IFLNK = 0o120000;
const S_IFCHR = 0o020000;

/** Sizes are 8 hexadecimal digits. */
const MAX_FILE_BYTES = 0xffff_ffff;

export interface CpioWriter {
  directory(path: string, mode?: number): void;
  file(path: string, data: Uint8Array, mode?: number): void;
  /** A file whose bytes follow by `sink` calls of the caller; `size` must be right. Ends with {@link endOfFile}. */
  beginFile(path: string, size: number, mode?: number): void;
  endOfFile(size: number): void;
  symlink(path: string, target: string): void;
  device(path: string, major: number, minor: number, mode?: number): void;
  /** Ends the archive. */
  end(): void;
}

/** A writer that hands each piece of the archive to `sink`, in order. */
export function cpioWriter(sink: (bytes: Uint8Array) => void): CpioWriter {
  let inode = 0;

  const pad = (length: number): void => {
    const missing = -length & 3;
    if (missing > 0) sink(new Uint8Array(missing));
  };

  const header = (path: string, mode: number, size: number, device = [0, 0]): void => {
    if (size > MAX_FILE_BYTES) throw invalidArgument(`${path}: a cpio archive holds files of up to 4 GiB`);
    const name = Buffer.from(`${path.replace(/^\/+/, '')}\0`);
    inode += 1;
    const fields = [inode, mode, 0, 0, mode >= S_IFDIR && mode < S_IFREG ? 2 : 1, 0, size, 0, 0];
    // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
    fields.push(device[0] ?? 0, device[1] ?? 0, name.length, 0);
    const text = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
    sink(Buffer.from(text, 'latin1'));
    sink(name);
    pad(text.length + name.length);
  };

  const writer: CpioWriter = {
    directory: (path, mode = 0o755) => header(path, S_IFDIR | mode, 0),
    file(path, data, mode = 0o644) {
      writer.beginFile(path, data.length, mode);
      sink(data);
      writer.endOfFile(data.length);
    },
    beginFile: (path, size, mode = 0o644) => header(path, S_IFREG | mode, size),
    endOfFile: (size) => pad(size),
    symlink(path, target) {
      const bytes = Buffer.from(target);
      header(path, S_IFLNK | 0o777, bytes.length);
      sink(bytes);
      pad(bytes.length);
    },
    device: (path, major, minor, mode = 0o600) => header(path, S_IFCHR | mode, 0, [major, minor]),
    end: () => header('TRAILER!!!', 0, 0),
  };
  return writer;
}
