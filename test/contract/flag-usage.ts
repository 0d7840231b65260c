/** What a store keeps of the usage of flags. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlagUseCount } from '../../src/features/flags/store/flag-usage-store.ts';
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
      expect(await store.flagUsage.lastUsed(1)).toEqual(
        new Map([
          [7, NOW + MINUTE],
          [8, NOW],
        ]),
      );
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
