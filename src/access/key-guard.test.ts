import { beforeEach, expect, it } from 'vitest';
import { KeyGuard } from './key-guard.ts';

let now: number;
let guard: KeyGuard;
let looked: number;
beforeEach(() => {
  now = 1_000_000;
  guard = new KeyGuard({ now: () => now });
  looked = 0;
});

const RIGHT = new Set(['right', 'other']);
const show = (key: string, address = '203.0.113.7') =>
  guard.lookUp(key, address, async () => {
    looked++;
    return RIGHT.has(key) ? key : null;
  });
const guess = async (count: number, address?: string): Promise<void> => {
  for (let i = 0; i < count; i++) expect(await show(`wrong ${i}`, address)).toBeNull();
};

it('allows sixty invalid keys a minute, and looks up no more after that, valid or not', async () => {
  await guess(60);
  await expect(show('wrong')).rejects.toMatchObject({ kind: 'throttled', retryAfter: 60 });
  await expect(show('right')).rejects.toMatchObject({ kind: 'throttled' });
  expect(looked).toBe(60);
  now += 60_000;
  expect(await show('right')).toBe('right');
});

it('does not limit keys that were valid before, nor other networks', async () => {
  await show('right');
  await guess(60);
  expect(await show('right')).toBe('right');
  expect(await show('other', '203.0.113.8')).toBe('other');
});

it('counts a network of IPv6 as one', async () => {
  for (let i = 0; i < 60; i++) await show('wrong', `2001:db8::${i.toString(16)}`);
  await expect(show('wrong', '2001:db8::ffff')).rejects.toMatchObject({ kind: 'throttled' });
});

it('does not count valid keys, however many there are', async () => {
  for (let i = 0; i < 100; i++) await guard.lookUp(`key ${i}`, '203.0.113.7', async () => true);
  expect(await show('wrong')).toBeNull();
});

it('counts a key that was valid and is revoked', async () => {
  await show('right');
  for (let i = 0; i < 60; i++) expect(await guard.lookUp('right', '203.0.113.7', async () => null)).toBeNull();
  await expect(show('right')).rejects.toMatchObject({ kind: 'throttled' });
});

it('counts parallel guesses', async () => {
  const all = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => show(`wrong ${i}`)));
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(40);
});
