import { isIP } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { isInNetwork, isV4, parseIpAddress, parseIpNetwork } from './ip-address.ts';

const groupsOf = (text: string): number[] | undefined => {
  const address = parseIpAddress(text);
  return address && [...address];
};

describe('an IP address', () => {
  it.each([
    ['1.2.3.4', [0, 0, 0, 0, 0, 0xffff, 0x102, 0x304]],
    ['255.255.255.255:65535', [0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff]],
    [' 10.0.0.1 ', [0, 0, 0, 0, 0, 0xffff, 0xa00, 1]],
    ['::ffff:1.2.3.4', [0, 0, 0, 0, 0, 0xffff, 0x102, 0x304]],
    ['::ffff:102:304', [0, 0, 0, 0, 0, 0xffff, 0x102, 0x304]],
    ['[2001:DB8::1]:443', [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]],
    ['fe80::1%eth0', [0xfe80, 0, 0, 0, 0, 0, 0, 1]],
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['1::', [1, 0, 0, 0, 0, 0, 0, 0]],
  ])('%s is read', (text, groups) => expect(groupsOf(text)).toEqual(groups));

  it.each([
    '',
    'localhost',
    '127.1',
    '010.0.0.1',
    '1.2.3.256',
    '1.2.3',
    '1.2.3.4.5',
    '1..2.3',
    '1.2.3.',
    '::1::',
    '[::1',
    '[1.2.3.4]',
    '1.2.3.4:x',
    '٣.1.1.1',
    '0x7f.0.0.1',
    '1'.repeat(10_000),
    `::1%${'a'.repeat(10_000)}`,
  ])('%s is none', (text) => expect(groupsOf(text)).toBeUndefined());

  it('agrees with ipaddr.js on every address', () => {
    // `::1.2.3.4` is an IPv6 address, which ipaddr.js takes for an IPv4 one.
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !text.includes('.')),
    );
    fc.assert(
      fc.property(address, (text) => {
        const parsed = ipaddr.parse(text);
        const groups = parsed instanceof ipaddr.IPv4 ? parsed.toIPv4MappedAddress().parts : parsed.parts;
        expect(isIP(text)).toBeGreaterThan(0);
        expect(groupsOf(text)).toEqual(groups);
      }),
    );
  });
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['192.168.128.0/17', '192.168.127.255', false],
    ['192.168.128.0/17', '192.168.200.1', true],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '8.8.8.8', false],
  ])('%s has %s: %s', (network, text, expected) => {
    const [parsed, address] = [parseIpNetwork(network), parseIpAddress(text)];
    expect(parsed && address && isInNetwork(address, parsed)).toBe(expected);
  });

  it.each(['10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '/8', 'example.com', '10.0.0.0/-1', '[::1]/64'])(
    '%s is none',
    (text) => expect(parseIpNetwork(text)).toBeUndefined(),
  );

  it('knows IPv4', () => {
    expect(
      ['1.2.3.4', '::ffff:1.2.3.4', '::1', 'ffff::ffff:1:2'].map((text) =>
        isV4(parseIpAddress(text) ?? new Uint16Array(8)),
      ),
    ).toEqual([true, true, false, false]);
  });
});
