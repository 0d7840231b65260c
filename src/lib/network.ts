/** IP addresses: to which network they belong, and whether they are private. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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

/** The network of an address, wide enough not to name a person: /24 or /64. */
export function wideNetworkOf(address: string): string {
  const network = networkOf(address);
  return isIP(network) === 4 ? network.replace(/\d+$/, '0/24') : network;
}

/** Global unicast. All else is reserved, local, or contains an IPv4 address, such as `::127.0.0.1` and `64:ff9b::/96`. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Whatever is no public address by the registries of IANA: loopback, private, link-local, tunnels, no address at all. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  // `process` unwraps IPv4 addresses that are written as IPv6; the check before it refuses `127.1` and the like.
  if (isIP(plain) === 0) return true;
  const parsed = ipaddr.process(plain);
  if (parsed.range() !== 'unicast') return true;
  return parsed instanceof ipaddr.IPv6 && !parsed.match(PUBLIC_IPV6);
}

/** This machine. */
export function isLoopback(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  return isIP(plain) !== 0 && ipaddr.process(plain).range() === 'loopback';
}

/** Judges IP addresses and `localhost` only; other names are checked when they are resolved. */
export function isPrivateUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return /(^|\.)localhost$/i.test(host) || (isIP(host) !== 0 && isPrivateAddress(host));
}
