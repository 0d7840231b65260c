/** What a store keeps of the versions of flag definitions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

export function describeDefinitionVersions(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`versions of flag definitions: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    const next = (tag: string): Promise<number> =>
      store.transaction(async ({ definitionVersions }) => {
        const last = await definitionVersions.lock(1);
        if (last.tag === tag) return last.version;
        await definitionVersions.set(1, { version: last.version + 1, tag, changedAt: 1_700_000_000_000 });
        return last.version + 1;
      });

    it('begin with 0, by project', async () => {
      expect(await store.definitionVersions.get(1)).toBe(0);
      expect(await next('a')).toBe(1);
      expect(await store.definitionVersions.get(1)).toBe(1);
      expect(await store.definitionVersions.get(2)).toBe(0);
      const read = await store.transaction(({ definitionVersions }) => definitionVersions.lock(1));
      expect(read).toEqual({ version: 1, tag: 'a', changedAt: 1_700_000_000_000 });
    });

    it('are given once, however many ask at the same time', async () => {
      const given = await Promise.all(Array.from({ length: 10 }, () => next('a')));
      expect(given).toEqual(Array(10).fill(1));
      const others = await Promise.all(Array.from({ length: 10 }, (_, i) => next(`other ${i}`)));
      expect(others.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    });
  });
}
