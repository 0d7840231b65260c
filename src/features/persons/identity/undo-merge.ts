/**
 * Undoes a merge. `planUndo` decides what both persons look like. The ids that moved go back, each with all its events,
 * from before the merge and since.
 */

import { recordActivity } from '../../../access/record-activity.ts';
import { Failure, notFound } from '../../../core/errors.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import type { MergeRecord, PersonIdentityStore } from '../../../stores/metadata/person-identities.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { activityTarget, getPerson, PERSON_SCOPE } from '../persons.ts';
import { planUndo, type UndoPlan } from '../rules/plan-undo.ts';
import { changeIdentities, type IdentityDeps } from './change-identities.ts';
import type { PersonWithIds } from './split-person.ts';

interface UndoRequest {
  project: Project;
  userId: number;
  mergeId: number;
}

export interface UndoneMerge {
  source: PersonWithIds;
  target: PersonWithIds;
}

export interface ListedMerge extends MergeRecord {
  /** Why it cannot be undone; null if it can. */
  obstacle: string | null;
}

type PersonStores = Pick<MetadataStore, 'persons' | 'personIdentities'>;

export async function listMerges(
  stores: PersonStores,
  projectId: number,
  ref: PersonRef | null,
  page: Page,
): Promise<Paged<ListedMerge>> {
  const person = await getPerson(stores.persons, projectId, ref);
  const { count, items } = await stores.personIdentities.listMerges(projectId, person.uuid, page);
  const listed: ListedMerge[] = [];
  for (const merge of items) listed.push({ ...merge, obstacle: (await checkUndo(stores, merge)).obstacle });
  return { count, items: listed };
}

type UndoCheck = { obstacle: string } | { obstacle: null; survivor: StoredPerson; ids: string[] };

async function checkUndo(
  { persons, personIdentities: identities }: PersonStores,
  merge: MergeRecord,
): Promise<UndoCheck> {
  const { projectId, target, movedIds, undoneAt } = merge;
  if (undoneAt !== null) return { obstacle: 'This merge was already undone.' };
  const survivor = await persons.get(projectId, { uuid: target.uuid });
  if (!survivor) {
    const next = await identities.getMergeBySource(projectId, target.uuid);
    return {
      obstacle: next
        ? `The person was later merged into ${next.target.uuid}: undo merge ${next.id} first.`
        : 'The person it was merged into was deleted.',
    };
  }
  const ids = await identities.listDistinctIds(survivor.id, movedIds);
  if (ids.length === 0 && movedIds.length > 0) {
    return { obstacle: 'The person no longer has any of the moved distinct ids: they were split off.' };
  }
  return { obstacle: null, survivor, ids };
}

export function undoMerge(deps: IdentityDeps, undo: UndoRequest): Promise<UndoneMerge> {
  const { project, mergeId } = undo;
  return changeIdentities(deps, async (store) => {
    const { personIdentities: identities } = store;
    const merge = await identities.getMerge(project.id, mergeId);
    if (!merge) throw notFound();
    const found = await checkUndo(store, merge);
    if (found.obstacle !== null) throw new Failure('conflict', found.obstacle);
    const { survivor, ids } = found;
    const idsBefore = await identities.listDistinctIds(survivor.id);
    const others = await otherMerges(identities, merge);
    const plan = planUndo(merge, survivor, others);
    await writePlan(identities, merge, plan);
    await rebase(identities, others, plan);
    await returnIds(identities, merge, ids);
    await identities.addHistory(refillHistory(deps, merge, plan));
    await identities.markMergeUndone(merge.id, deps.clock.now());
    const source = await getPerson(store.persons, project.id, { uuid: merge.source.uuid });
    const target = { ...survivor, ...plan.target };
    const returned = new Set(ids);
    const kept = idsBefore.filter((id) => !returned.has(id));
    await recordUndo(deps, store, undo, [source, target], { before: idsBefore, after: ids });
    return { source: { person: source, distinctIds: ids }, target: { person: target, distinctIds: kept } };
  });
}

async function writePlan(
  identities: PersonIdentityStore,
  { sourceId, target, eventUuid }: MergeRecord,
  plan: UndoPlan,
): Promise<void> {
  await identities.create([{ ...plan.source, id: sourceId }]);
  await identities.reviveUuid(plan.source.uuid);
  await identities.update(plan.target);
  await identities.deleteHistory(target.uuid, eventUuid, plan.removedKeys);
}

type OtherMerges = Record<'earlier' | 'later', MergeRecord[]>;

async function otherMerges(
  identities: PersonIdentityStore,
  { projectId, target, id }: MergeRecord,
): Promise<OtherMerges> {
  const all = await identities.listMergesInto(projectId, target.uuid);
  return { earlier: all.filter((one) => one.id < id), later: all.filter((one) => one.id > id) };
}

async function rebase(identities: PersonIdentityStore, others: OtherMerges, { rebased }: UndoPlan): Promise<void> {
  const merges = [...others.earlier, ...others.later];
  const targets = [...rebased.earlier, ...rebased.later];
  for (const [i, { id }] of merges.entries()) {
    const target = targets[i];
    if (target) await identities.updateMergeTarget(id, target);
  }
}

async function returnIds(identities: PersonIdentityStore, merge: MergeRecord, ids: readonly string[]): Promise<void> {
  const { projectId, source, target } = merge;
  const moves = ids.map((distinctId) => ({ distinctId, to: source.uuid }));
  await identities.moveDistinctIds(projectId, moves);
  await identities.queueReassignment({ projectId, personId: target.uuid, kind: 'move', moves });
}

/** Properties that the target gets from later merges instead, as if those merges had set them. */
const refillHistory = ({ clock }: IdentityDeps, merge: MergeRecord, { refilled }: UndoPlan): HistoryEntry[] =>
  refilled.map((change) => ({
    ...change,
    projectId: merge.projectId,
    personUuid: merge.target.uuid,
    at: clock.now(),
    eventUuid: merge.eventUuid,
  }));

/** One entry for each of the two persons. */
async function recordUndo(
  deps: IdentityDeps,
  store: MetadataStore,
  { project, userId }: UndoRequest,
  persons: readonly StoredPerson[],
  { before, after }: { before: string[]; after: string[] },
): Promise<void> {
  for (const person of persons) {
    await recordActivity(deps, store, {
      ...activityTarget(userId, project, person),
      activity: 'undid_merge',
      name: person.uuid,
      changes: [
        {
          type: PERSON_SCOPE,
          action: 'split',
          field: null,
          before: { distinct_ids: before },
          after: { distinct_ids: after },
        },
      ],
    });
  }
}
