/** What a store keeps of experiments. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Alarm, applyGuardrail } from '../../src/features/experiments/guard/apply-guardrail.ts';
import type { Experiment } from '../../src/features/experiments/store/experiment-store.ts';
import { randomIds } from '../../src/lib/ids.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { aFlag } from './flag-builders.ts';
import { anOrganization, aProject } from './metadata-store.ts';

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

/** With its project and flag. */
async function aRunningExperiment(store: MetadataStore) {
  const organization = anOrganization('org');
  await store.organizations.create(organization);
  const project = await store.projects.create(aProject(organization.id, 'phc_risky'));
  const flag = await store.flags.create(aFlag(project.id, { key: 'risky' }));
  const running = anExperiment('risky', { projectId: project.id, flagId: flag.id, startDate: NOW - 1 });
  const experiment = await store.experiments.create(running);
  const deps = {
    metadata: store,
    clock: { now: () => NOW },
    ids: randomIds,
    flagSnapshots: { invalidate: () => undefined },
    config: { publicUrl: null },
  };
  return { deps, guarded: { experiment, flagVersion: 1, baselineKey: 'control' } };
}

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

    it('lists those that run, in all projects', async () => {
      const running = { startDate: NOW };
      await store.experiments.create(anExperiment('draft'));
      await store.experiments.create(anExperiment('later', { startDate: NOW + 1 }));
      await store.experiments.create(anExperiment('one', running));
      await store.experiments.create(anExperiment('two', { ...running, projectId: 2 }));
      await store.experiments.create(anExperiment('ended', { ...running, endDate: NOW }));
      await store.experiments.create(anExperiment('gone', { ...running, deleted: true }));
      expect((await store.experiments.listRunning(NOW)).map((one) => one.name)).toEqual(['one', 'two']);
    });

    it('keeps holdouts, in their project only', async () => {
      const fields = { name: 'everybody else', description: '', createdAt: NOW, createdBy: 7, updatedAt: NOW };
      const given = { ...fields, projectId: 1, filters: [{ properties: [], rollout_percentage: 5 }] };
      const made = await store.holdouts.create(given);
      expect(await store.holdouts.get(1, made.id)).toEqual({ ...given, id: made.id });
      expect(await store.holdouts.get(2, made.id)).toBeNull();
      await store.holdouts.update({ ...made, name: 'renamed' });
      expect(await store.holdouts.listByProject(1)).toEqual([{ ...made, name: 'renamed' }]);
      await store.holdouts.delete(2, made.id);
      expect(await store.holdouts.listByProject(1)).toHaveLength(1);
      await store.holdouts.delete(1, made.id);
      expect(await store.holdouts.listByProject(1)).toEqual([]);
    });

    it('keeps saved metrics, in their project only', async () => {
      const times = { createdAt: NOW, createdBy: null, updatedAt: NOW };
      const given = {
        projectId: 1,
        name: 'Ünïcode \u{1f600}',
        description: '',
        query: { uuid: 'u' },
        tags: ['a'],
        ...times,
      };
      const made = await store.savedMetrics.create(given);
      await store.savedMetrics.create({ ...given, name: 'newer' });
      expect(await store.savedMetrics.get(1, made.id)).toEqual({ id: made.id, ...given });
      expect(await store.savedMetrics.get(2, made.id)).toBeNull();
      await store.savedMetrics.update({ ...made, query: { uuid: 'v' } });
      const listed = await store.savedMetrics.listByProject(1);
      expect(listed.map(({ name, query }) => [name, query['uuid']])).toEqual([
        ['newer', 'u'],
        [given.name, 'v'],
      ]);
      await store.savedMetrics.delete(2, made.id);
      expect(await store.savedMetrics.listByProject(1)).toHaveLength(2);
      await store.savedMetrics.delete(1, made.id);
      expect(await store.savedMetrics.listByProject(1)).toHaveLength(1);
    });

    it('keeps the first finding of a key', async () => {
      const finding = { projectId: 1, experimentId: 5, key: 'crossed', foundAt: NOW, value: { a: 1 } };
      await store.experimentFindings.create([]);
      await store.experimentFindings.create([finding]);
      const other = { ...finding, key: 'planned' };
      await store.experimentFindings.create([{ ...finding, foundAt: NOW + 1, value: {} }, other]);
      expect(await store.experimentFindings.listByExperiment(1, 5)).toEqual([finding, other]);
      expect(await store.experimentFindings.listByExperiment(2, 5)).toEqual([]);
      await store.experimentFindings.deleteByExperiment(1, 6);
      expect(await store.experimentFindings.listByExperiment(1, 5)).toHaveLength(2);
      await store.experimentFindings.deleteByExperiment(1, 5);
      expect(await store.experimentFindings.listByExperiment(1, 5)).toEqual([]);
    });

    it('lets a guardrail act once, though two processes found the same', async () => {
      const { guarded, deps } = await aRunningExperiment(store);
      const alarm: Alarm = { action: 'roll_back', key: 'm test', evidence: { variant: 'test' } };
      const acted = await Promise.all([0, 1].map(() => applyGuardrail(deps, guarded, alarm)));
      expect(acted.sort()).toEqual([false, true]);
      const flag = await store.flags.get(guarded.experiment.projectId, guarded.experiment.flagId);
      expect(flag).toMatchObject({ version: 2, filters: { groups: [{ variant: 'control' }, {}] } });
    });
  });
}
