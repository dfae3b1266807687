/**
 * A process to be killed: it makes topologies, with programs, ports and servers, and closes every second one, until it is
 * killed at some point of that. Each of its namespaces is tied by a veth pair to the one that it inherits as descriptor 3.
 */
import { BalancerTopology, NetworkNamespace } from 'xdptest/live';

const watch = new NetworkNamespace('watch', 3);
const kept = [];
for (let i = 0; ; i++) {
  const topology = new BalancerTopology({ servers: 2 });
  topology.namespaces.forEach((namespace, n) => {
    watch.addVeth(`canary${i}n${n}`, { namespace, name: 'canary' });
  });
  const port = topology.client.interface.open();
  const server = await topology.servers[0].namespace.listenTcp({ port: 80 });
  kept.push(topology, port, server);
  if (i % 2 === 1) topology.close();
  process.stdout.write('.');
}
