/** What a store keeps of early access features. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EarlyAccessFeature } from '../../src/features/early-access/store/early-access-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;
const aFeature = (rest: Partial<EarlyAccessFeature> = {}): EarlyAccessFeature => ({
  id: 'e1',
  projectId: 1,
  flagId: 5,
  name: 'Dark mode',
  description: 'Easy on the eyes',
  stage: 'beta',
  documentationUrl: 'https://example.org/dark',
  // Whole numbers keep all their digits.
  payload: { order: 9007199254740993n },
  createdBy: 7,
  createdAt: NOW,
  updatedAt: NOW,
  ...rest,
});

export function describeEarlyAccess(engine: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`early access features in ${engine}`, () => {
    let metadata: MetadataStore;
    beforeEach(async () => {
      ({ metadata } = await open());
    });
    afterEach(() => metadata.close());

    it('are found by id and by flag, in their project only', async () => {
      const { earlyAccessFeatures: store } = metadata;
      await store.create(aFeature());
      expect(await store.get(1, 'e1')).toEqual(aFeature());
      expect(await store.getByFlag(1, 5)).toEqual(aFeature());
      expect([await store.get(2, 'e1'), await store.getByFlag(2, 5), await store.getByFlag(1, 6)]).toEqual([
        null,
        null,
        null,
      ]);
    });

    it('are listed newest first, changed, and deleted in their project only', async () => {
      const { earlyAccessFeatures: store } = metadata;
      await store.create(aFeature());
      await store.create(aFeature({ id: 'e2', flagId: 6, createdAt: NOW + 1 }));
      await store.create(aFeature({ id: 'e3', projectId: 2 }));
      await store.update(aFeature({ stage: 'archived', payload: {} }));
      expect(await store.listByProject(1)).toEqual([
        aFeature({ id: 'e2', flagId: 6, createdAt: NOW + 1 }),
        aFeature({ stage: 'archived', payload: {} }),
      ]);
      await store.delete(2, 'e1');
      await store.delete(1, 'e2');
      expect((await store.listByProject(1)).map(({ id }) => id)).toEqual(['e1']);
    });

    it('have a flag of their own', async () => {
      const { earlyAccessFeatures: store } = metadata;
      await store.create(aFeature());
      await expect(store.create(aFeature({ id: 'e2' }))).rejects.toThrow();
      expect((await store.listByProject(1)).map(({ id }) => id)).toEqual(['e1']);
    });
  });
}
