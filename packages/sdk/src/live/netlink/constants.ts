/** Numbers of linux/netlink.h, rtnetlink.h, if_link.h, if_addr.h, neighbour.h and veth.h: part of the kernel's ABI. */

export const AF_UNSPEC = 0;
export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_NETLINK = 16;
export const AF_PACKET = 17;

export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const SOCK_NONBLOCK = 0o4000;

export const NETLINK_ROUTE = 0;
export const SOL_NETLINK = 270;
export const NETLINK_CAP_ACK = 10;
export const NETLINK_EXT_ACK = 11;

export const NLMSG_ERROR = 2;
export const NLMSG_DONE = 3;
export const NLM_F_REQUEST = 0x1;
export const NLM_F_ACK = 0x4;
export const NLM_F_DUMP = 0x300;
export const NLM_F_EXCL = 0x200;
export const NLM_F_CREATE = 0x400;
export const NLM_F_REPLACE = 0x100;
export const NLM_F_CAPPED = 0x100;
export const NLM_F_ACK_TLVS = 0x200;
export const NLMSGERR_ATTR_MSG = 1;

export const RTM = {
  newLink: 16,
  delLink: 17,
  getLink: 18,
  newAddr: 20,
  newRoute: 24,
  newNeigh: 28,
} as const;

export const IFF_UP = 0x1;
export const IFLA = {
  address: 1,
  ifname: 3,
  mtu: 4,
  link: 5,
  master: 10,
  operstate: 16,
  linkinfo: 18,
  stats64: 23,
  netNsFd: 28,
  numTxQueues: 31,
  numRxQueues: 32,
  carrier: 33,
  xdp: 43,
} as const;
export const IFLA_INFO = { kind: 1, data: 2, slaveKind: 4, slaveData: 5 } as const;
export const VETH_INFO_PEER = 1;
export const IFLA_BR_MCAST_SNOOPING = 23;
export const IFLA_XDP = { fd: 1, attached: 2, flags: 3, progId: 4 } as const;
export const IFLA_BOND = {
  mode: 1,
  activeSlave: 2,
  miimon: 3,
  xmitHashPolicy: 14,
  packetsPerSlave: 20,
  adLacpRate: 21,
} as const;
export const IFLA_BOND_SLAVE = {
  state: 1,
  miiStatus: 2,
  aggregatorId: 6,
  actorPortState: 7,
  partnerPortState: 8,
} as const;

export const IFA = { address: 1, local: 2 } as const;
export const IFA_F_NODAD = 0x2;
export const NDA = { dst: 1, lladdr: 2 } as const;
export const NUD_PERMANENT = 0x80;
export const RTA = { dst: 1, oif: 4, gateway: 5 } as const;
export const RT_TABLE_MAIN = 254;
export const RTPROT_STATIC = 4;
export const RTN_UNICAST = 1;
export const RT_SCOPE_UNIVERSE = 0;
export const RT_SCOPE_LINK = 253;

export const XDP_FLAGS = { updateIfNoExist: 1, skbMode: 2, drvMode: 4 } as const;
