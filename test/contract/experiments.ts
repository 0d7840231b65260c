/** What a store keeps of experiments. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Experiment } from '../../src/features/experiments/store/experiment-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;

const anExperiment = (name: string, rest: Partial<Experiment> = {}): Omit<Experiment, 'id'> => ({
  projectId: 1,
  flagId: 5,
  name,
  description: '',
  settings: { metrics: [{ name: 'Ünïcode \u{1f600}' }], plan: { min_days: 7 } },
  startDate: null,
  endDate: null,
  archived: false,
  deleted: false,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

export function describeExperiments(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`experiments: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());

    it('returns an experiment unchanged, in its project only', async () => {
      const { id } = await store.experiments.create(anExperiment('one'));
      expect(await store.experiments.get(1, id)).toEqual({ id, ...anExperiment('one') });
      expect(await store.experiments.get(2, id)).toBeNull();
      const changed = {
        id,
        ...anExperiment('two', { startDate: NOW, endDate: NOW + 1, archived: true, settings: {} }),
      };
      await store.experiments.update(changed);
      expect(await store.experiments.get(1, id)).toEqual(changed);
    });

    it('lists the newest first, without deleted ones', async () => {
      for (const given of ['a', 'b']) await store.experiments.create(anExperiment(given));
      const gone = await store.experiments.create(anExperiment('gone', { deleted: true }));
      await store.experiments.create(anExperiment('theirs', { projectId: 2 }));
      expect((await store.experiments.listByProject(1)).map((one) => one.name)).toEqual(['b', 'a']);
      expect((await store.experiments.get(1, gone.id))?.deleted).toBe(true);
    });
  });
}
