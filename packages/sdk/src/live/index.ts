/** Real interfaces in private namespaces. Published as `xdptest/live`. */
export { type AttachMode, Attachment } from './attachment.ts';
export { Bond, type BondPortState } from './bond.ts';
export { type BondMode, type BondOptions, bondModes, type HashPolicy, hashPolicies } from './bond-options.ts';
export type { FrameFilter } from './filter.ts';
export { type AttachOptions, type InterfaceState, NetworkInterface } from './interface.ts';
export { NetworkNamespace, type Route, type VethEnd, type VethOptions, type VethPeer } from './namespace.ts';
export type { InterfaceCounters } from './netlink/links.ts';
export {
  type CapturedFrame,
  type CaptureOptions,
  framesOf,
  Port,
  type PortCounters,
  type PortOptions,
  type SendReport,
} from './port.ts';
export { Recorder } from './recorder.ts';
export { setRedirectTarget } from './redirect.ts';
export type { FrameColumns } from './ring.ts';
export { type LiveResult, type RunLiveOptions, runLive } from './run-live.ts';
export type { SocketAddress, TcpTarget } from './sockets.ts';
export { BalancerTopology, type TopologyHost, type TopologyOptions } from './topology.ts';
