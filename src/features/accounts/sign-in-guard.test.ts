import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { randomIds } from '../../lib/ids.ts';
import type { SqliteStores } from '../../stores/sqlite/metadata-store.ts';
import { SignInGuard } from './sign-in-guard.ts';

let dir: TempDir;
let stores: SqliteStores;
let now: number;
let guard: SignInGuard;
const start = (): SignInGuard =>
  new SignInGuard({ metadata: stores.metadata, clock: { now: () => now }, ids: randomIds });
beforeEach(async () => {
  dir = makeTempDir();
  stores = await openMigratedStore(dir.path('metadata.sqlite'));
  now = 1_000_000;
  guard = start();
});
afterEach(async () => {
  await stores.metadata.close();
  dir.remove();
});

const attempt = (account: string, address = '203.0.113.7', device?: string) => ({
  account,
  address,
  deviceToken: device,
});
/** How many of some attempts are allowed. */
async function letIn(count: number, make: (i: number) => ReturnType<typeof attempt>): Promise<number> {
  const all = await Promise.allSettled(Array.from({ length: count }, (_, i) => guard.recordAttempt(make(i))));
  return all.filter(({ status }) => status === 'fulfilled').length;
}

describe('unknown browsers', () => {
  it('have five attempts a minute on one account, from all networks', async () => {
    expect(await letIn(9, (i) => attempt('ada', `203.0.113.${i}`))).toBe(5);
    await expect(guard.recordAttempt(attempt('ada'))).rejects.toMatchObject({ kind: 'throttled', retryAfter: 60 });
    now += 60_000;
    await guard.recordAttempt(attempt('ada'));
  });

  it('have twenty from one network, for all accounts', async () => {
    expect(await letIn(30, (i) => attempt(`user ${i}`))).toBe(20);
    expect(await letIn(30, (i) => attempt(`other ${i}`, `2001:db8::${i.toString(16)}`))).toBe(20);
    expect(await letIn(1, () => attempt('user', '203.0.113.8'))).toBe(1);
  });

  it('have the same limits on all nodes together, and after a restart', async () => {
    const other = start();
    expect(await letIn(3, () => attempt('ada'))).toBe(3);
    const first = guard;
    guard = other;
    expect(await letIn(9, () => attempt('ada'))).toBe(2);
    guard = first;
    expect(await letIn(1, () => attempt('ada'))).toBe(0);
  });

  it('are not forgotten while hundreds of other names are tried', async () => {
    await letIn(5, () => attempt('ada'));
    for (let i = 0; i < 300; i++) await guard.recordAttempt(attempt(`user ${i}`, `198.51.${i >> 4}.${i & 15}`));
    expect(await letIn(1, () => attempt('ada'))).toBe(0);
  });

  it('start again once the password was correct', async () => {
    await letIn(5, () => attempt('ada'));
    await guard.recordSuccess(attempt('ada'));
    await guard.recordAttempt(attempt('ada'));
  });
});

describe('a browser that has signed in before', () => {
  it('has attempts of its own, whatever others do, also after a restart', async () => {
    const device = await guard.createDeviceToken('ada');
    guard = start();
    for (let i = 0; i < 100; i++) {
      now += 10_000;
      await letIn(9, (one) => attempt('ada', `203.0.113.${one}`));
      await guard.recordAttempt(attempt('ada', '203.0.113.7', device));
      await guard.recordSuccess(attempt('ada', '203.0.113.7', device));
    }
    expect(await letIn(9, () => attempt('ada', '203.0.113.7', device))).toBe(5);
  });

  it.each([
    ['for another account', 'bob', (device: string) => device],
    ['by another name', 'ada', (device: string) => `x${device}`],
    ['with something added', 'ada', (device: string) => `${device}x`],
    ['with more parts', 'ada', (device: string) => `${device}.x`],
    ['with nothing signed', 'ada', (device: string) => device.replace(/\..*/, '.')],
    ['without a name', 'ada', (device: string) => device.replace(/.*\./, '.')],
    ['made of nothing', 'ada', () => ''],
    ['too long', 'ada', (device: string) => device + 'x'.repeat(10_000)],
  ])('is a stranger %s', async (_name, account, changed) => {
    const device = changed(await guard.createDeviceToken('ada'));
    await letIn(5, () => attempt(account));
    await expect(guard.recordAttempt(attempt(account, '203.0.113.7', device))).rejects.toMatchObject({
      kind: 'throttled',
    });
  });
});
