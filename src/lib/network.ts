/** IP addresses: to which network they belong, and whether they are private. */
import { BlockList, isIP } from 'node:net';

/** What one attacker controls: an IPv4 address, or the /64 network that every IPv6 customer gets. */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(plain)?.[1];
  if (v4 !== undefined) return v4;
  if (isIP(plain) !== 6) return plain.slice(0, 64);
  const [left = '', right] = plain.split('::');
  const groups = left === '' ? [] : left.split(':');
  const last = right === undefined || right === '' ? [] : right.split(':');
  const filled = [...groups, ...Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0'), ...last];
  const network = filled.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

const PRIVATE_NETWORKS = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Metadata services of clouds, which give out credentials.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 127],
  // Addresses that contain an IPv4 address.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, 'ipv6');
}

/** Loopback, private networks, link-local and multicast; also what is no IP address. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return true;
  return PRIVATE_NETWORKS.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Judges IP addresses and `localhost` only; other names are checked when they are resolved. */
export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return /(^|\.)localhost$/i.test(host) || (isIP(host) !== 0 && isPrivateAddress(host));
}
