/** Creates and changes actions: several kinds of events under one name. */

import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { readSteps } from '../../core/actions/action-steps.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { cleanTags } from '../../core/tags.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Action } from '../../stores/metadata/actions.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { markCohortsUsingAction } from '../cohorts/cohorts.ts';

export interface ActionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  /** Calculates the cohorts that are marked as waiting. */
  calculations: { wake(): void };
}

export type ActionChanges = Partial<Pick<Action, 'name' | 'description' | 'tags' | 'steps' | 'deleted'>>;

export const ACTION = 'Action';

export function createAction(
  deps: ActionDeps,
  caller: Caller,
  project: Project,
  changes: ActionChanges & Pick<Action, 'name'>,
): Promise<Action> {
  readSteps(changes.steps ?? []);
  return deps.metadata.transaction(async (store) => {
    await requireFreeName(store, project.id, null, changes.name, changes.deleted ?? false);
    const now = deps.clock.now();
    const action = await store.actions.create({
      projectId: project.id,
      description: '',
      steps: [],
      deleted: false,
      ...changes,
      tags: cleanTags(changes.tags ?? []),
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
    });
    await recordActivity(deps, store, { ...about(caller, project, action), activity: 'created', changes: null });
    return action;
  });
}

/** Only what is given changes. */
export async function updateAction(
  deps: ActionDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: ActionChanges,
): Promise<Action> {
  readSteps(changes.steps ?? []);
  const action = await deps.metadata.transaction(async (store) => {
    const before = await getAction(store, project.id, id);
    const tags = changes.tags === undefined ? before.tags : cleanTags(changes.tags);
    const after = { ...before, ...changes, tags, updatedAt: deps.clock.now() };
    await requireFreeName(store, project.id, id, after.name, after.deleted);
    await store.actions.update(after);
    if (!matchesSameEvents(before, after)) await markCohortsUsingAction(store, project.id, id);
    const differences = changesBetween(ACTION, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes: differences });
    return after;
  });
  deps.calculations.wake();
  return action;
}

/** Whether both match the same events. */
const matchesSameEvents = (before: Action, after: Action): boolean =>
  before.deleted === after.deleted && JSON.stringify(before.steps) === JSON.stringify(after.steps);

export async function getAction(store: MetadataStore, projectId: number, id: number): Promise<Action> {
  const action = await store.actions.get(projectId, id);
  if (!action) throw notFound();
  return action;
}

async function requireFreeName(
  store: MetadataStore,
  projectId: number,
  id: number | null,
  name: string,
  deleted: boolean,
): Promise<void> {
  const other = deleted ? null : await store.actions.getByName(projectId, name);
  if (!other || other.id === id) return;
  throw invalid('name', `This project already has an action with this name, ID ${other.id}`, 'unique');
}

const visible = ({ name, description, tags, steps, deleted }: Action): Record<string, Json> => ({
  name,
  description,
  tags,
  steps,
  deleted,
});

const about = (caller: Caller, project: Project, action: Action) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: ACTION,
    itemId: String(action.id),
    name: action.name,
  }) satisfies Partial<ActivityEntry>;
