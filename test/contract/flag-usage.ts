/** What a store keeps of the usage of flags. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Decision } from '../../src/features/flags/decide/decision.ts';
import type { FlagUseCount } from '../../src/features/flags/store/flag-usage-store.ts';
import { FlagUsage } from '../../src/features/flags/usage/flag-usage.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 15, 12, 30);

const use = (more: Partial<FlagUseCount> = {}): FlagUseCount => ({
  projectId: 1,
  flagId: 7,
  start: NOW,
  source: 'posthog-node/5.67',
  value: 'true',
  count: 1,
  ...more,
});

export function describeFlagUsage(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`usage of flags: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    it('is added up by flag, minute, SDK and value', async () => {
      await store.flagUsage.add([use({ count: 2 }), use({ value: 'test' }), use({ flagId: 8 })]);
      await store.flagUsage.add([use({ count: 3 }), use({ start: NOW + MINUTE })]);
      expect(await store.flagUsage.list(1, 7, NOW, NOW + MINUTE)).toEqual(
        expect.arrayContaining([use({ count: 5 }), use({ value: 'test' })]),
      );
      expect(await store.flagUsage.list(1, 7, NOW, NOW + DAY)).toHaveLength(3);
      expect(await store.flagUsage.list(2, 7, NOW, NOW + DAY)).toEqual([]);
      const control = { value: use().value, last: NOW + MINUTE, lastBefore: NOW };
      const test = { value: 'test', last: NOW, lastBefore: NOW };
      expect(await store.flagUsage.lastUsed(1, NOW)).toEqual(
        new Map([
          [7, [control, test].sort((a, b) => (a.value < b.value ? -1 : 1))],
          [8, [{ ...control, last: NOW }]],
        ]),
      );
      expect(await store.flagUsage.lastUsed(1, NOW - 1)).toEqual(
        new Map([
          [
            7,
            expect.arrayContaining([
              { ...control, lastBefore: null },
              { ...test, lastBefore: null },
            ]),
          ],
          [8, [{ ...control, last: NOW, lastBefore: null }]],
        ]),
      );
      expect(await store.flagUsage.lastUsed(2, NOW)).toEqual(new Map());
      expect(await store.flagUsage.firstUsed(1)).toBe(NOW);
      expect(await store.flagUsage.firstUsed(2)).toBeNull();
    });

    it('is written once, however often a process tries', async () => {
      const begin = (node: string, sequence: number) => store.flagUsage.begin(node, sequence, NOW);
      expect(await begin('a', 1)).toBe(true);
      expect(await begin('a', 1)).toBe(false);
      expect(await begin('a', 2)).toBe(true);
      expect(await begin('a', 1)).toBe(false);
      expect(await begin('b', 1)).toBe(true);
    });

    it('of three processes is counted exactly, also where the answer to a write is lost', async () => {
      let [writes, now, recorded] = [0, NOW, 0];
      /** Every third write is made, and looks as if it had failed. */
      const transaction: MetadataStore['transaction'] = async (work) => {
        const result = await store.transaction(work);
        if (++writes % 3 === 0) throw new Error('The connection was lost.');
        return result;
      };
      const deps = { metadata: { transaction }, clock: { now: () => now }, ids: randomIds, log: openLog('silent') };
      const processes = [new FlagUsage(deps), new FlagUsage(deps), new FlagUsage(deps)];
      const decision = {
        evaluations: [{ id: 7, key: 'a', value: true, reason: 'condition_match' }],
      } as unknown as Decision;
      const flush = (usage: FlagUsage) => usage.flush().catch(() => undefined);
      for (let round = 0; round < 30; round++) {
        const usage = processes[round % 3];
        for (let i = 0; i <= round; i++, recorded++) usage?.record(1, decision, 'posthog-node/5.67');
        if (round % 4 === 0) now += MINUTE;
        if (round % 2 === 0 && usage) await flush(usage);
      }
      for (const usage of processes) for (let tries = 0; tries < 3; tries++) await flush(usage);
      const counted = await store.flagUsage.list(1, 7, NOW, NOW + DAY);
      expect(writes).toBeGreaterThan(15);
      expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(recorded);
    });

    it('is kept by the hour after two days, by the day after sixty, and no longer than 400 days', async () => {
      const old = NOW - 3 * DAY;
      const older = NOW - 70 * DAY;
      await store.flagUsage.add([
        use({ start: NOW - 401 * DAY }),
        use({ start: older }),
        use({ start: older + 2 * HOUR, count: 2 }),
        use({ start: old, count: 3 }),
        use({ start: old + 5 * MINUTE, count: 4 }),
        use({ start: NOW - DAY, count: 5 }),
      ]);
      const fold = () => store.transaction(({ flagUsage }) => flagUsage.fold(NOW));
      const kept = async () =>
        (await store.flagUsage.list(1, 7, 0, NOW + DAY)).map(({ start, count }) => [start, count]);
      const expected = [
        [older - (older % DAY), 3],
        [old - (old % HOUR), 7],
        [NOW - DAY, 5],
      ];
      await fold();
      expect(await kept()).toEqual(expected);
      await fold();
      expect(await kept()).toEqual(expected);
    });
  });
}
