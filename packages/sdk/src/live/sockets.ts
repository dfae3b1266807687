/** Real sockets in a namespace, as Node's own servers and connections. */
import dgram from 'node:dgram';
import net from 'node:net';
import { expectInteger, XdpError } from '../errors.ts';
import { errnoName, systemError } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import type { NamespaceCore, Resource } from './core.ts';
import { AF_INET6, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_STREAM } from './netlink/constants.ts';
import { inetAddress } from './sockaddr.ts';

/** Where a socket listens or connects to. Names are not looked up. */
export interface SocketAddress {
  /** Default `0.0.0.0`. */
  readonly host?: string;
  readonly port: number;
}

/** A connection to make. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** The own address and port, where they matter. */
  readonly from?: { readonly host: string; readonly port?: number };
  /** Default 5,000. */
  readonly timeoutMs?: number;
}

const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const BACKLOG = 511;
const on = new Uint8Array(new Int32Array([1]).buffer);

/** Makes a socket, lets `prepare` work on it and hands its descriptor to Node, which closes it. */
function boundSocket(core: NamespaceCore, type: number, host: string, port: number): NativeHandle {
  const address = inetAddress(host, expectInteger('port', port, 0, 0xffff));
  const socket = core.socket(address.family, type | SOCK_NONBLOCK, 0);
  native().socketOption(socket, SOL_SOCKET, SO_REUSEADDR, on);
  const result = native().socketBind(socket, address.bytes);
  if (result === 0) return socket;
  native().closeHandle(socket);
  throw systemError(`binding a socket to ${host} port ${port} in ${core.name}`, 'bind', -result);
}

/** A server whose connections end with its namespace. */
export async function listenTcp(
  core: NamespaceCore,
  address: SocketAddress,
  onConnection?: (socket: net.Socket) => void,
): Promise<net.Server> {
  const { host = '0.0.0.0', port } = address;
  const socket = boundSocket(core, SOCK_STREAM, host, port);
  const listening = native().socketListen(socket, BACKLOG);
  if (listening < 0) {
    native().closeHandle(socket);
    throw systemError(`listening on ${host} port ${port} in ${core.name}`, 'listen', -listening);
  }
  const open = new Set<net.Socket>();
  const server = net.createServer((connection) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
    onConnection?.(connection);
  });
  const resource: Resource = {
    close: () => {
      server.close();
      for (const connection of open) connection.destroy();
    },
  };
  server.once('close', () => core.resources.delete(resource));
  core.resources.add(resource);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ fd: native().releaseHandle(socket) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** A connection that is made when the promise is. */
export async function connectTcp(core: NamespaceCore, target: TcpTarget): Promise<net.Socket> {
  const { host, port, from, timeoutMs = 5000 } = target;
  const address = inetAddress(host, expectInteger('connectTcp: port', port, 1, 0xffff));
  expectInteger('connectTcp: timeoutMs', timeoutMs, 1, 0x7fff_ffff);
  const anywhere = address.family === AF_INET6 ? '::' : '0.0.0.0';
  const socket = boundSocket(core, SOCK_STREAM, from?.host ?? anywhere, from?.port ?? 0);
  const result = await native().socketConnect(socket, address.bytes, timeoutMs);
  if (result !== 0) {
    native().closeHandle(socket);
    throw new XdpError(
      'XDP_SYSCALL_FAILED',
      `connecting from ${core.name} to ${host} port ${port} failed with ${errnoName(-result)}`,
      { syscall: 'connect', errno: -result },
    );
  }
  const connection = new net.Socket({ fd: native().releaseHandle(socket), readable: true, writable: true });
  const resource: Resource = { close: () => connection.destroy() };
  connection.once('close', () => core.resources.delete(resource));
  core.resources.add(resource);
  return connection;
}

/** A bound UDP socket. */
export async function bindUdp(core: NamespaceCore, address: SocketAddress): Promise<dgram.Socket> {
  const { host = '0.0.0.0', port } = address;
  const handle = boundSocket(core, SOCK_DGRAM, host, port);
  const socket = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
  let closed = false;
  const resource: Resource = {
    close: () => {
      if (!closed) socket.close();
    },
  };
  socket.once('close', () => {
    closed = true;
    core.resources.delete(resource);
  });
  core.resources.add(resource);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ fd: native().releaseHandle(handle) }, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  return socket;
}
