/** IP addresses as numbers: parsed in less than a microsecond, since every captured request looks its own up. */
import { isIPv6 } from 'node:net';

/** Eight groups of 16 bits; an IPv4 address is the last two of `::ffff:a.b.c.d`. */
export type IpAddress = Uint16Array;

const GROUPS = 8;
const MAX_LENGTH = 100;
const V4_PREFIX = 0xffff;

/**
 * An address as proxies and clients write it: also with a port, in brackets, or with blanks around it. Undefined for all
 * else, such as `127.1` and `010.0.0.1`, which systems read differently.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return parseV4(text) ?? parseWithExtras(text.trim());
}

function parseWithExtras(text: string): IpAddress | undefined {
  if (text.startsWith('[')) {
    const end = text.indexOf(']');
    return end > 0 && /^(?::\d{1,5})?$/.test(text.slice(end + 1)) ? parseV6(text.slice(1, end)) : undefined;
  }
  const colon = text.indexOf(':');
  if (colon === -1) return parseV4(text);
  const isV4WithPort = colon === text.lastIndexOf(':') && /^\d{1,5}$/.test(text.slice(colon + 1));
  return isV4WithPort ? parseV4(text.slice(0, colon)) : parseV6(text);
}

const DOT = 46;
const ZERO = 48;

function parseV4(text: string): IpAddress | undefined {
  if (text.length < 7 || text.length > 15) return undefined;
  let [high, octet, digits, dots] = [0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (digits === 0 || ++dots > 3) return undefined;
      if (dots === 2) {
        high = octet;
        octet = 0;
      }
      octet *= 256;
      digits = 0;
      continue;
    }
    const digit = code - ZERO;
    // A second digit after a leading zero: octal for some, decimal for others.
    if (digit < 0 || digit > 9 || (digits > 0 && octet % 256 === 0)) return undefined;
    const value = (octet % 256) * 10 + digit;
    if (value > 255) return undefined;
    octet = octet - (octet % 256) + value;
    digits++;
  }
  return dots === 3 && digits > 0 ? fromV4(high % 65_536, octet % 65_536) : undefined;
}

function fromV4(high: number, low: number): IpAddress {
  const address = new Uint16Array(GROUPS);
  address[5] = V4_PREFIX;
  address[6] = high;
  address[7] = low;
  return address;
}

function parseV6(text: string): IpAddress | undefined {
  const plain = withoutZone(text);
  if (!isIPv6(plain)) return undefined;
  const dot = plain.indexOf('.');
  const groups = dot === -1 ? plain : withHexTail(plain);
  const address = new Uint16Array(GROUPS);
  const gap = groups.indexOf('::');
  if (gap === -1) fill(address, 0, groups);
  else {
    const tail = groups.slice(gap + 2);
    fill(address, 0, groups.slice(0, gap));
    fill(address, GROUPS - countGroups(tail), tail);
  }
  return address;
}

function withoutZone(text: string): string {
  const at = text.indexOf('%');
  return at === -1 ? text : text.slice(0, at);
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`. */
function withHexTail(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const v4 = parseV4(text.slice(start));
  return `${text.slice(0, start)}${(v4?.[6] ?? 0).toString(16)}:${(v4?.[7] ?? 0).toString(16)}`;
}

const countGroups = (text: string): number => (text === '' ? 0 : text.split(':').length);

function fill(address: Uint16Array, from: number, groups: string): void {
  if (groups === '') return;
  let [at, value] = [from, 0];
  for (let i = 0; i < groups.length; i++) {
    const code = groups.charCodeAt(i);
    if (code === 58) {
      address[at++] = value;
      value = 0;
    } else value = value * 16 + (code <= 57 ? code - ZERO : (code | 32) - 87);
  }
  address[at] = value;
}

/** As every reader of addresses understands it, if not in the shortest form. */
export const formatIpAddress = (address: IpAddress): string =>
  isV4(address)
    ? [...address.subarray(6)].flatMap((group) => [group >> 8, group & 255]).join('.')
    : Array.from(address, (group) => group.toString(16)).join(':');

export const isV4 = (address: IpAddress): boolean =>
  address[5] === V4_PREFIX &&
  address[0] === 0 &&
  address[1] === 0 &&
  address[2] === 0 &&
  address[3] === 0 &&
  address[4] === 0;

/** An address and how many of its bits count; those of an IPv4 network include the 96 in front of it. */
export interface IpNetwork {
  address: IpAddress;
  bits: number;
}

/** An address, or a network as CIDR; undefined for all else. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [host = '', bits, ...rest] = text.trim().split('/');
  const address = /[[\]]/.test(host) ? undefined : parseIpAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  const most = isV4(address) ? 32 : 128;
  if (bits === undefined) return { address, bits: 128 };
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) return undefined;
  return { address, bits: Number(bits) + 128 - most };
}

/** `::/0` has no IPv4 addresses. */
export function isInNetwork(address: IpAddress, { address: base, bits }: IpNetwork): boolean {
  if (isV4(address) !== isV4(base)) return false;
  const whole = bits >> 4;
  for (let i = 0; i < whole; i++) if (address[i] !== base[i]) return false;
  const rest = bits & 15;
  return rest === 0 || ((address[whole] ?? 0) ^ (base[whole] ?? 0)) >> (16 - rest) === 0;
}
