/**
 * The guest's first two programs, as shell scripts for busybox. The first finds the root file system and switches to
 * it; the second runs the command in it. Four serial ports lead out: the console, the command's stdout, its stderr,
 * and a port of our own on which the guest says how far it is (see guest-port.ts).
 */

export type RootKind = '9p' | 'virtiofs' | 'initramfs';

export const CONSOLE_PORT = '/dev/ttyS0';
export const STDOUT_PORT = '/dev/ttyS1';
export const STDERR_PORT = '/dev/ttyS2';
export const CONTROL_PORT = '/dev/ttyS3';

/** Private files of ours in the guest, on a memory file system. */
export const GUEST_DIRECTORY = '/run/xdptest';
/** Files that the command leaves there come back to the host. */
export const GUEST_REPORT_DIRECTORY = `${GUEST_DIRECTORY}/report`;

/** Quotes a word for the shell. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

const mounts: Record<RootKind, string> = {
  // cache=loose: the host's files are taken as unchanging for the seconds that this machine lives.
  '9p': `mkdir /ro /rw /n
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose xdptest /ro || fail cannot mount the root over 9p`,
  virtiofs: `mkdir /ro /rw /n
mount -t virtiofs -o ro xdptest /ro || fail cannot mount the root over virtiofs`,
  initramfs: '',
};

const overlay = `mount -t tmpfs rw /rw && mkdir /rw/upper /rw/work || fail cannot make room for the overlay
mount -t overlay -o lowerdir=/ro,upperdir=/rw/upper,workdir=/rw/work root /n || fail cannot mount the overlay`;

export interface InitOptions {
  readonly root: RootKind;
  /** The host's path of lib/modules/<release>, visible through a shared root: modprobe works there. */
  readonly modules: string | undefined;
  readonly release: string;
}

/** /init of the initramfs. */
export function firstInit(options: InitOptions): string {
  const shared = options.root !== 'initramfs';
  const n = shared ? '/n' : '';
  const modules = `/lib/modules/${options.release}`;
  return `#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
exec </dev/null >${CONSOLE_PORT} 2>&1
for port in ${STDOUT_PORT} ${STDERR_PORT} ${CONTROL_PORT}; do stty -F $port raw -echo; done
fail() { echo "fail $*" >${CONTROL_PORT}; sleep 5; poweroff -f; }
read up rest </proc/uptime; echo "boot $up $(uname -r)" >${CONTROL_PORT}
while read module; do insmod /modules/$module.ko || fail "module $module does not load"; done </modules/order
${mounts[options.root]}
${shared ? overlay : ''}
mkdir -p ${n}/proc ${n}/sys ${n}/dev ${n}/run
${shared ? 'mount --move /proc /n/proc; mount --move /sys /n/sys; mount --move /dev /n/dev' : ''}
mount -t tmpfs run ${n}/run
mkdir -p ${n}${GUEST_REPORT_DIRECTORY} ${n}${GUEST_DIRECTORY}/bin
cp /bin/busybox ${n}${GUEST_DIRECTORY}/bin/; cp /xdptest-* ${n}${GUEST_DIRECTORY}/
${
  shared && options.modules !== undefined
    ? `mkdir -p ${n}${modules}; mount -o bind ${shellQuote(`/ro${options.modules}`)} ${n}${modules} 2>/dev/null`
    : ''
}
${shared ? `exec switch_root /n ${GUEST_DIRECTORY}/xdptest-second` : `exec ${GUEST_DIRECTORY}/xdptest-second`}
`;
}

export interface SecondInitOptions {
  /** Whether a shell follows the command. */
  readonly keep: boolean;
  /** The name of the virtio port that the command gets as descriptor 3; undefined for none. */
  readonly channel: string | undefined;
}

/** Runs as process 1 in the final root. */
export function secondInit({ keep, channel }: SecondInitOptions): string {
  const shell = `exec ${GUEST_DIRECTORY}/bin/setsid -c /bin/sh -i`;
  return `#!${GUEST_DIRECTORY}/bin/busybox sh
${GUEST_DIRECTORY}/bin/busybox --install -s ${GUEST_DIRECTORY}/bin
PATH=${GUEST_DIRECTORY}/bin
exec </dev/null >${CONSOLE_PORT} 2>&1
for link in fd stdin:0 stdout:1 stderr:2; do
  case $link in fd) ln -s /proc/self/fd /dev/fd;; *) ln -s /proc/self/fd/\${link#*:} /dev/\${link%:*};; esac
done
mkdir -p /dev/pts /dev/shm /tmp
mount -t devpts -o ptmxmode=666 pts /dev/pts; mount -t tmpfs shm /dev/shm; chmod 1777 /dev/shm
mount -t bpf bpf /sys/fs/bpf; mount -t tracefs trace /sys/kernel/tracing
mount -t cgroup2 cgroup /sys/fs/cgroup; mount -t debugfs debug /sys/kernel/debug
hostname xdptest
ip link set lo up
# The kernel's own wish for a module goes to busybox: a host's root need not have kmod.
printf '#!${GUEST_DIRECTORY}/bin/busybox sh\\nexec ${GUEST_DIRECTORY}/bin/busybox modprobe "$@"\\n' >${GUEST_DIRECTORY}/modprobe
chmod 755 ${GUEST_DIRECTORY}/modprobe; echo ${GUEST_DIRECTORY}/modprobe >/proc/sys/kernel/modprobe
cd ${GUEST_DIRECTORY}
# Pipes between the command and the ports: a port is a terminal, and programs write otherwise to terminals.
mkfifo out err
cat out >${STDOUT_PORT} & out=$!
cat err >${STDERR_PORT} & err=$!
# Asked by the host before it gives up: what runs (with ticks of user and system time), and what is blocked.
( while read -r word; do
  echo "pid state parent user system command"
  for process in /proc/[0-9]*; do
    args=$(tr '\\0' ' ' <$process/cmdline)
    [ -n "$args" ] && echo "$(sed 's/(.*) //' $process/stat | cut -d' ' -f1-3,13,14) $args"
  done | cut -c1-150 | tail -n 40
  echo w >/proc/sysrq-trigger
done ) <${CONTROL_PORT} 2>/dev/null &
${
  channel === undefined
    ? ''
    : `channel=
for port in /sys/class/virtio-ports/*; do [ "$(cat $port/name)" = ${channel} ] && channel=/dev/\${port##*/}; done
[ -n "$channel" ] || { echo "fail the channel's port is missing" >${CONTROL_PORT}; sleep 5; poweroff -f; }`
}
read up rest </proc/uptime; echo "start $up" >${CONTROL_PORT}
setsid /bin/sh ${GUEST_DIRECTORY}/xdptest-command >out 2>err </dev/null ${channel === undefined ? '' : '3<>$channel '}&
command=$!
wait $command
code=$?
read up rest </proc/uptime
# What the command left running may hold the pipes open for ever.
( sleep 2; kill -9 -$command; sleep 2; kill $out $err ) 2>/dev/null &
wait $out $err
${
  keep
    ? `# Open before the host is told: keys that arrive at a closed port are lost.
exec 5<>${STDOUT_PORT}; stty -F ${STDOUT_PORT} sane; echo shell >${CONTROL_PORT}
( . ${GUEST_DIRECTORY}/xdptest-environment; ${shell} <&5 >&5 2>&1 5>&- )`
    : ''
}
# Nobody may write to the reports any more: their sizes go ahead of them. And nobody else may have the control port
# open: a process that is killed while it closes a port drops what the port has not sent yet.
kill -9 -1; wait
echo "exit $code $up" >${CONTROL_PORT}
cd ${GUEST_REPORT_DIRECTORY}
find . -type f | while read -r file; do
  echo "file $(stat -c %s "$file") \${file#./}"; cat "$file"
done >${CONTROL_PORT}
echo end >${CONTROL_PORT}
# The host ends the machine now. Powering off at once could lose what the port has not sent yet.
sleep 5; poweroff -f
`;
}

/** The environment and the working directory of the command, as a script to be sourced. */
export function environmentScript(cwd: string, env: Readonly<Record<string, string>>): string {
  const exports = Object.entries(env)
    // Exported bash functions and the like have names that sh cannot assign to.
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
    .map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  return `${exports.join('')}cd ${shellQuote(cwd)} || exit 126\n`;
}

/** The command itself. */
export function commandScript(command: readonly string[]): string {
  return `. ${GUEST_DIRECTORY}/xdptest-environment\nexec ${command.map(shellQuote).join(' ')}\n`;
}
