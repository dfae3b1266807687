/** Puts together what the guest starts from: busybox, the two scripts, modules, the command, and perhaps files. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type CpioWriter, cpioWriter } from './cpio.ts';
import { type HostFile, writeHostFiles } from './host-files.ts';
import type { LoadableModule } from './modules.ts';
import { requireBusybox } from './tools.ts';

export interface InitramfsContents {
  readonly first: string;
  readonly second: string;
  readonly environment: string;
  readonly command: string;
  readonly modules: readonly LoadableModule[];
  /** Files of the host at their own paths, for a guest without a shared root. */
  readonly files: readonly HostFile[];
}

function writeBase(archive: CpioWriter, contents: InitramfsContents): void {
  // A host whose /bin is a link to usr/bin has one here too: the guest's programs are found under both names.
  const taken = new Set(contents.files.map((file) => file.path));
  const directory = (path: string): void => {
    if (!taken.has(path)) archive.directory(path);
  };
  for (const path of ['/dev', '/proc', '/sys', '/run', '/tmp', '/modules', '/etc', '/root', '/bin'])
    directory(path);
  // The kernel opens it for process 1 before devtmpfs is there.
  archive.device('/dev/console', 5, 1);
  archive.file('/bin/busybox', readFileSync(requireBusybox()), 0o755);
  archive.file('/init', Buffer.from(contents.first), 0o755);
  archive.file('/xdptest-second', Buffer.from(contents.second), 0o755);
  archive.file('/xdptest-environment', Buffer.from(contents.environment));
  archive.file('/xdptest-command', Buffer.from(contents.command));
  for (const { name, data } of contents.modules) archive.file(`/modules/${name}.ko`, data);
  const order = contents.modules.map(({ name }) => `${name}\n`).join('');
  archive.file('/modules/order', Buffer.from(order));
}

/** Writes the archive to `path`. */
export function writeInitramfs(path: string, contents: InitramfsContents): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    const sink = (bytes: Uint8Array): void => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    };
    const archive = cpioWriter(sink);
    writeHostFiles(archive, contents.files, sink);
    writeBase(archive, contents);
    archive.end();
  } finally {
    closeSync(fd);
  }
}
