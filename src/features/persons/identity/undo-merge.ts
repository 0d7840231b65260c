/**
 * Taking a merge back. Both persons come out as `planUndo` says; the ids that moved go back, and with each id all its
 * events: those from before the merge, and those that came under it since.
 */

import { recordActivity } from '../../../access/record-activity.ts';
import { Failure, notFound } from '../../../core/errors.ts';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import type { MergeRecord, PersonIdentityStore } from '../../../stores/metadata/person-identities.ts';
import type { PersonRef, StoredPerson } from '../../../stores/metadata/persons.ts';
import { getPerson } from '../persons.ts';
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
  /** Why it cannot be undone; null where it can. */
  obstacle: string | null;
}

/** Persons, and what became of them. */
type PersonStores = Pick<MetadataStore, 'persons' | 'personIdentities'>;

export async function listMerges(
  shelf: PersonStores,
  projectId: number,
  ref: PersonRef | null,
  page: Page,
): Promise<Paged<ListedMerge>> {
  const person = await getPerson(shelf.persons, projectId, ref);
  const { count, items } = await shelf.personIdentities.listMerges(projectId, person.uuid, page);
  const listed: ListedMerge[] = [];
  for (const merge of items) listed.push({ ...merge, obstacle: (await checkUndo(shelf, merge)).obstacle });
  return { count, items: listed };
}

/** What undoing would work with, or why it would not. */
type UndoCheck = { obstacle: string } | { obstacle: null; survivor: StoredPerson; ids: string[] };

async function checkUndo({ persons, personIdentities: journal }: PersonStores, merge: MergeRecord): Promise<UndoCheck> {
  const { projectId, target, movedIds, undoneAt } = merge;
  if (undoneAt !== null) return { obstacle: 'This merge was undone already.' };
  const survivor = await persons.get(projectId, { uuid: target.uuid });
  if (!survivor) {
    const next = await journal.getMergeBySource(projectId, target.uuid);
    return {
      obstacle: next
        ? `The person was merged into ${next.target.uuid} afterwards: undo merge ${next.id} first.`
        : 'The person who took over was deleted.',
    };
  }
  const ids = await journal.listDistinctIds(survivor.id, movedIds);
  if (ids.length === 0 && movedIds.length > 0) {
    return { obstacle: 'None of the ids that moved is with this person any more: they were split off.' };
  }
  return { obstacle: null, survivor, ids };
}

export function undoMerge(deps: IdentityDeps, undo: UndoRequest): Promise<UndoneMerge> {
  const { project, mergeId } = undo;
  return changeIdentities(deps, async (store) => {
    const { personIdentities: journal } = store;
    const merge = await journal.getMerge(project.id, mergeId);
    if (!merge) throw notFound();
    const found = await checkUndo(store, merge);
    if (found.obstacle !== null) throw new Failure('conflict', found.obstacle);
    const { survivor, ids } = found;
    const held = await journal.listDistinctIds(survivor.id);
    const standing = await otherMerges(journal, merge);
    const plan = planUndo(merge, survivor, standing);
    await writePlan(journal, merge, plan);
    await rebase(journal, standing, plan);
    await returnIds(journal, merge, ids);
    await journal.addHistory(refillHistory(deps, merge, plan));
    await journal.markMergeUndone(merge.id, deps.clock.now());
    const source = await getPerson(store.persons, project.id, { uuid: merge.source.uuid });
    const target = { ...survivor, ...plan.target };
    const returned = new Set(ids);
    const kept = held.filter((id) => !returned.has(id));
    await recordUndo(deps, store, undo, [source, target], { before: held, after: ids });
    return { source: { person: source, distinctIds: ids }, target: { person: target, distinctIds: kept } };
  });
}

async function writePlan(
  journal: PersonIdentityStore,
  { sourceId, target, eventUuid }: MergeRecord,
  plan: UndoPlan,
): Promise<void> {
  await journal.create([{ ...plan.source, id: sourceId }]);
  await journal.reviveUuid(plan.source.uuid);
  await journal.update(plan.target);
  await journal.deleteHistory(target.uuid, eventUuid, plan.removedKeys);
}

type OtherMerges = Record<'earlier' | 'later', MergeRecord[]>;

async function otherMerges(journal: PersonIdentityStore, { projectId, target, id }: MergeRecord): Promise<OtherMerges> {
  const all = await journal.listMergesInto(projectId, target.uuid);
  return { earlier: all.filter((one) => one.id < id), later: all.filter((one) => one.id > id) };
}

async function rebase(journal: PersonIdentityStore, standing: OtherMerges, { rebased }: UndoPlan): Promise<void> {
  const merges = [...standing.earlier, ...standing.later];
  const targets = [...rebased.earlier, ...rebased.later];
  for (const [i, { id }] of merges.entries()) {
    const target = targets[i];
    if (target) await journal.updateMergeTarget(id, target);
  }
}

async function returnIds(journal: PersonIdentityStore, merge: MergeRecord, ids: readonly string[]): Promise<void> {
  const { projectId, source, target } = merge;
  const moves = ids.map((distinctId) => ({ distinctId, to: source.uuid }));
  await journal.moveDistinctIds(projectId, moves);
  await journal.queueReassignment({ projectId, personId: target.uuid, kind: 'move', moves });
}

/** What the target gets from others in place of what it gave back, as if they had brought it when they were merged in. */
const refillHistory = ({ clock }: IdentityDeps, merge: MergeRecord, { refilled }: UndoPlan): HistoryEntry[] =>
  refilled.map((change) => ({
    ...change,
    projectId: merge.projectId,
    personUuid: merge.target.uuid,
    at: clock.now(),
    eventUuid: merge.eventUuid,
  }));

/** One entry for each of the two: people look for what happened on either's page. */
async function recordUndo(
  deps: IdentityDeps,
  store: MetadataStore,
  { project, userId }: UndoRequest,
  persons: readonly StoredPerson[],
  { before, after }: { before: string[]; after: string[] },
): Promise<void> {
  for (const person of persons) {
    await recordActivity(deps, store, {
      organizationId: project.organizationId,
      projectId: project.id,
      userId,
      activity: 'undid_merge',
      scope: 'Person',
      itemId: String(person.id),
      name: person.uuid,
      changes: [
        {
          type: 'Person',
          action: 'split',
          field: null,
          before: { distinct_ids: before },
          after: { distinct_ids: after },
        },
      ],
    });
  }
}
