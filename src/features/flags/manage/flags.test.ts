import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aFlag } from '../../../../test/contract/flags.ts';
import { makeTempDir } from '../../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../../test/support/migrated-store.ts';
import type { Caller } from '../../../access/callers.ts';
import { randomIds } from '../../../lib/ids.ts';
import { openLog } from '../../../lib/log.ts';
import { type Membership, OWNER, type Project, type User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { NO_FEATURE_TABLES } from '../../../stores/sql/feature-tables.ts';
import { newProject } from '../../accounts/projects.ts';
import { approvalPolicyStore, changeRequestStore } from '../../approvals/store/approval-store.ts';
import { earlyAccessStore } from '../../early-access/store/early-access-store.ts';
import { experimentStore } from '../../experiments/store/experiment-store.ts';
import { FlagSnapshots } from '../decide/flag-snapshots.ts';
import { createFlag, type FlagDeps, updateFlag } from './flags.ts';
import { type RollbackDeps, Rollbacks } from './rollbacks.ts';

const NOW = 1_768_478_400_000;
const folder = makeTempDir();
let metadata: MetadataStore;
let deps: FlagDeps & { flagSnapshots: FlagSnapshots };
let project: Project;
let caller: Caller;

beforeAll(async () => {
  const stores = {
    experiments: experimentStore,
    earlyAccessFeatures: earlyAccessStore,
    approvalPolicies: approvalPolicyStore,
    changeRequests: changeRequestStore,
  };
  const tables = { ...NO_FEATURE_TABLES, stores };
  ({ metadata } = await openMigratedStore(folder.path('metadata.sqlite'), 0, tables));
  const clock = { now: () => NOW };
  deps = { metadata, clock, ids: randomIds, config: { publicUrl: null }, flagSnapshots: new FlagSnapshots(metadata) };
  project = await metadata.projects.create(newProject(deps, 'organization', 'Project', 'phc_key'));
  const user = { id: 1, email: 'ada@example.org' } as User;
  const times = { joinedAt: NOW, updatedAt: NOW };
  const level = { level: OWNER, ownLevel: OWNER } as const;
  const membership: Membership = { id: 'm', organizationId: 'organization', userId: 1, ...level, ...times };
  caller = { user, memberships: [membership], via: 'personal_key' };
});
afterAll(async () => {
  await metadata.close();
  folder.remove();
});

const remembered = async () => (await deps.flagSnapshots.get(project.id)).flags.map(({ key, active }) => [key, active]);
const CONDITION = { threshold: 1, operator: 'gt', threshold_metric: { event: 'a' } };

describe('the snapshot', () => {
  it('is invalidated by every change before the caller gets the response, and by none that was refused', async () => {
    expect(await remembered()).toEqual([]);
    const { id } = await createFlag(deps, caller, project, { key: 'one' });
    expect(await remembered()).toEqual([['one', true]]);
    await updateFlag(deps, caller, project, id, { active: false });
    expect(await remembered()).toEqual([['one', false]]);
    await expect(updateFlag(deps, caller, project, id, { key: 'not\na\nkey' })).rejects.toThrow();
    expect(await remembered()).toEqual([['one', false]]);
    await updateFlag(deps, caller, project, id, { deleted: true });
    expect(await remembered()).toEqual([]);
  });

  it('is invalidated by a rollback', async () => {
    const { id } = await createFlag(deps, caller, project, { key: 'risky', rollbackConditions: CONDITION });
    expect(await remembered()).toEqual([['risky', true]]);
    await new Rollbacks(rollbackDeps(async () => 5)).check();
    expect(await remembered()).toEqual([['risky', false]]);
    await updateFlag(deps, caller, project, id, { deleted: true });
  });
});

const rollbackDeps = (measure: RollbackDeps['measure']): RollbackDeps => ({
  ...deps,
  measure,
  logger: openLog('silent'),
});

describe('a rollback', () => {
  it('does not happen if the flag is changed while it is measured', async () => {
    const { id } = await createFlag(deps, caller, project, { key: 'edited', rollbackConditions: CONDITION });
    const rollbacks = new Rollbacks(
      rollbackDeps(async () => {
        await updateFlag(deps, caller, project, id, { rollbackConditions: null });
        return 5;
      }),
    );
    await rollbacks.check();
    expect(await metadata.flags.get(project.id, id)).toMatchObject({ active: true, version: 2 });
  });

  it('is checked by one run at a time', async () => {
    await createFlag(deps, caller, project, { key: 'once', rollbackConditions: CONDITION });
    let measured = 0;
    const rollbacks = new Rollbacks(rollbackDeps(async () => ++measured && 0));
    await Promise.all([rollbacks.check(), rollbacks.check(), rollbacks.check()]);
    // Once for the first, and once more for both that were called meanwhile.
    expect(measured).toBe(2);
    await rollbacks.check();
    expect(measured).toBe(3);
  });

  it('ignores a flag whose project was deleted', async () => {
    const orphan = await metadata.flags.create(aFlag('orphan', { projectId: 99, rollbackConditions: CONDITION }));
    await new Rollbacks(rollbackDeps(async () => 5)).check();
    expect(await metadata.flags.get(99, orphan.id)).toMatchObject({ active: true, version: 1 });
  });
});
