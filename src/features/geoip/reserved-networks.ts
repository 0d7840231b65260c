import { parseIpNetwork } from '../../lib/ip-address.ts';

/** Addresses of no country, by IANA's registries; the country data names one for some of them. */
export const RESERVED_NETWORKS = [
  // This host, private, shared (carrier-grade NAT), loopback, link-local.
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  // Protocols, documentation, measurement, multicast, future use.
  ...['192.0.0.0/24', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  // All but global unicast, and in it protocols (with Teredo and measurement), documentation and 6to4.
  ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
].flatMap((text) => parseIpNetwork(text) ?? []);
