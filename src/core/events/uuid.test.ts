import { expect, it } from 'vitest';
import { hex4, isUuid, readUuid } from './uuid.ts';

const UUID = '0190f5a3-7c21-7def-8abc-0123456789ef';
const replaced = (at: number, by: string): string => UUID.slice(0, at) + by + UUID.slice(at + 1);

it('takes digits of either case, with hyphens in their places', () => {
  expect([UUID, UUID.toUpperCase(), 'ffffffff-ffff-ffff-ffff-ffffffffffff'].every(isUuid)).toBe(true);
  const others = ['', UUID.slice(1), `${UUID}0`, UUID.replaceAll('-', ''), `{${UUID}}`, UUID.replaceAll('-', '0')];
  expect(others.filter(isUuid)).toEqual([]);
});

it('refuses any other character, wherever it is', () => {
  const strange = ['g', 'G', '/', ':', '@', '`', ' ', '-', '\u0000', 'é', '０', '\ud800'];
  const digits = [...UUID.matchAll(/[^-]/g)].map(({ index }) => index);
  expect(digits.flatMap((at) => strange.map((by) => replaced(at, by))).filter(isUuid)).toEqual([]);
  expect([8, 13, 18, 23].flatMap((at) => ['0', 'f', '_'].map((by) => replaced(at, by))).filter(isUuid)).toEqual([]);
});

it('reads four digits as a number', () => {
  expect([hex4('0000', 0), hex4('xff0A', 1), hex4('fFfF', 0)]).toEqual([0, 0xff0a, 0xffff]);
});

it('reads the forms that languages print', () => {
  const plain = UUID.replaceAll('-', '');
  for (const form of [UUID.toUpperCase(), plain, `{${UUID}}`, `urn:uuid:${UUID}`]) expect(readUuid(form)).toBe(UUID);
  for (const form of [`{${UUID}`, `${UUID}}`, 'x', 7, null]) expect(readUuid(form)).toBeUndefined();
});
