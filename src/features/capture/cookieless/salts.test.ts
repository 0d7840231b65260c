import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeVectors } from '../../../../test/support/vectors.ts';
import { rootDomain } from '../rules/root-domain.ts';
import { CookielessSalts, saltFolder } from './salts.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-salts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const clock = { time: 0, now: () => clock.time };
const at = (iso: string): number => (clock.time = Date.parse(iso));
const fresh = () => new CookielessSalts(saltFolder(folder), clock);

describe('salts', () => {
  it('are the same for a day, also after a restart, and differ between days', async () => {
    at('2026-03-10T12:00:00Z');
    const salt = await fresh().get('2026-03-10');
    expect(salt).toHaveLength(16);
    expect(await fresh().get('2026-03-10')).toEqual(salt);
    expect(await fresh().get('2026-03-11')).not.toEqual(salt);
  });

  it.each([
    ['2026-03-09T09:59:59Z', false],
    ['2026-03-09T10:00:00Z', true],
    ['2026-03-11T13:59:59Z', true],
    ['2026-03-11T14:00:00Z', false],
  ])('exist while it is the day somewhere: at %s %s', async (now, exists) => {
    at(now);
    expect((await fresh().get('2026-03-10')) !== undefined).toBe(exists);
  });

  it('are overwritten and removed when their time is over', async () => {
    at('2026-03-10T12:00:00Z');
    const salts = fresh();
    const held = await salts.get('2026-03-10');
    const bytes = Buffer.from(held ?? []);
    at('2026-03-11T13:59:59Z');
    await salts.destroyOld();
    expect(readdirSync(folder)).toContain('2026-03-10');
    at('2026-03-11T14:00:00Z');
    await salts.destroyOld();
    expect(readdirSync(folder)).not.toContain('2026-03-10');
    expect(held).toEqual(Buffer.alloc(16));
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name))).not.toEqual(bytes);
    expect(await salts.get('2026-03-10')).toBeUndefined();
  });
});

interface Vectors {
  cases: { id: string; kind: string; host: string; expect: { root_domain: string } }[];
}

describeVectors<Vectors>('recorded sites', 'web-analytics.json', ({ cases }) => {
  const sites = cases.filter(({ kind }) => kind === 'root_domain').map((one) => [one.id, one] as const);

  it.each(sites)('%s', (_, { host, expect: { root_domain: root } }) => {
    expect(rootDomain(host)).toBe(root);
  });
});
