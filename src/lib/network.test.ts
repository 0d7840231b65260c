import { describe, expect, it } from 'vitest';
import { isLoopback, isPrivateAddress, networkOf, wideNetworkOf } from './network.ts';

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
    ['x'.repeat(1000), 'x'.repeat(64)],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the wide network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, network) => expect(wideNetworkOf(address)).toBe(network));
});

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '255.255.255.255',
    '::1',
    '[::1]',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '::127.0.0.1',
    '::7f00:1',
    '2002:7f00:1::',
    '2001::7f00:1',
    '2001:db8::1',
    'fec0::1',
    'fd00::1',
    'fe80::1%eth0',
    'ff02::1',
    '100::1',
    '3fff::1',
    '5f00::1',
    '203.0.113.7',
    '192.0.0.8',
    '198.18.0.1',
    '240.0.0.1',
    'localhost',
    '',
  ])('holds %s', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(['8.8.8.8', '172.32.0.1', '11.0.0.1', '2a00:1450::1', '[2606:4700::1]', '::ffff:8.8.8.8'])(
    'does not hold %s',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe('loopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['::2', false],
    ['localhost', false],
    ['', false],
  ])('%s: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
