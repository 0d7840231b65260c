/** Creates and changes saved insights, and records who did. */

import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { cleanTags } from '../../core/tags.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { type DashboardDeps, setInsightDashboards } from './dashboards.ts';
import type { SavedInsight } from './store/saved-insight-store.ts';

type SavedInsightDeps = DashboardDeps;

type WritableField =
  | 'name'
  | 'derivedName'
  | 'description'
  | 'filters'
  | 'query'
  | 'order'
  | 'saved'
  | 'favorited'
  | 'deleted'
  | 'tags';

export interface SavedInsightChanges extends Partial<Pick<SavedInsight, WritableField>> {
  /** The dashboards it is on from now on. */
  dashboards?: readonly number[];
}

export const INSIGHT_SCOPE = 'Insight';

export function createSavedInsight(
  deps: SavedInsightDeps,
  caller: Caller,
  project: Project,
  { dashboards = [], ...changes }: SavedInsightChanges,
): Promise<SavedInsight> {
  return deps.metadata.transaction(async (store) => {
    const now = deps.clock.now();
    const by = caller.user.id;
    const insight = await store.insights.create({
      projectId: project.id,
      shortId: await unusedShortId(deps, store, project.id),
      name: null,
      derivedName: null,
      description: '',
      filters: {},
      query: null,
      order: null,
      saved: false,
      favorited: false,
      deleted: false,
      ...changes,
      tags: cleanTags(changes.tags ?? []),
      createdAt: now,
      createdBy: by,
      updatedAt: now,
      lastModifiedAt: now,
      lastModifiedBy: by,
    });
    await setInsightDashboards(deps, store, caller, project, insight, dashboards);
    await recordActivity(deps, store, { ...about(caller, project, insight), activity: 'created', changes: null });
    return insight;
  });
}

/** Only what is given changes. */
export function updateSavedInsight(
  deps: SavedInsightDeps,
  caller: Caller,
  project: Project,
  id: number,
  { dashboards, ...changes }: SavedInsightChanges,
): Promise<SavedInsight> {
  return deps.metadata.transaction(async (store) => {
    const before = await getInsightOrDeleted(store, project.id, id);
    // A deleted insight is gone for everything but its restoration.
    if (before.deleted && changes.deleted !== false) throw notFound();
    const tags = changes.tags === undefined ? before.tags : cleanTags(changes.tags);
    const changed = { ...before, ...changes, tags, updatedAt: deps.clock.now() };
    const after = { ...changed, ...lastModified(deps, caller, before, changed) };
    await store.insights.update(after);
    const moved = dashboards && (await setInsightDashboards(deps, store, caller, project, after, dashboards));
    const differences = [
      ...changesBetween(INSIGHT_SCOPE, visible(before), visible(after)),
      ...(moved ? changesBetween(INSIGHT_SCOPE, { dashboards: moved.before }, { dashboards: moved.after }) : []),
    ];
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes: differences });
    return after;
  });
}

/** Records that the caller has viewed it. */
export async function recordInsightView(
  deps: SavedInsightDeps,
  caller: Caller,
  project: Project,
  id: number,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    await getSavedInsight(store, project.id, id);
    await store.insights.recordView(project.id, id, caller.user.id, deps.clock.now());
  });
}

export async function getSavedInsight(store: MetadataStore, projectId: number, id: number): Promise<SavedInsight> {
  const insight = await getInsightOrDeleted(store, projectId, id);
  if (insight.deleted) throw notFound();
  return insight;
}

/** Also a deleted one: it can be restored, and has a history. */
export async function getInsightOrDeleted(store: MetadataStore, projectId: number, id: number): Promise<SavedInsight> {
  const insight = await store.insights.get(projectId, id);
  if (!insight) throw notFound();
  return insight;
}

const MAX_SHORT_ID_ATTEMPTS = 5;

async function unusedShortId({ ids }: SavedInsightDeps, store: MetadataStore, projectId: number): Promise<string> {
  for (let tries = 0; tries < MAX_SHORT_ID_ATTEMPTS; tries++) {
    const shortId = ids.token('').slice(-8);
    if ((await store.insights.getByShortId(projectId, shortId)) === null) return shortId;
  }
  throw invalid(undefined, 'No unused short id was found. Try again.');
}

/** Only a change of name, description, filters or query counts, not one of favorites or dashboards. */
function lastModified({ clock }: SavedInsightDeps, caller: Caller, before: SavedInsight, after: SavedInsight) {
  const contentOf = ({ name, description, filters, query }: SavedInsight): string =>
    JSON.stringify([name, description, filters, query]);
  return contentOf(before) === contentOf(after) ? {} : { lastModifiedAt: clock.now(), lastModifiedBy: caller.user.id };
}

const visible = (insight: SavedInsight): Record<string, Json> => ({
  name: insight.name,
  derived_name: insight.derivedName,
  description: insight.description,
  filters: insight.filters,
  query: insight.query,
  order: insight.order,
  saved: insight.saved,
  favorited: insight.favorited,
  deleted: insight.deleted,
  tags: insight.tags,
});

const about = (caller: Caller, project: Project, insight: SavedInsight) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: INSIGHT_SCOPE,
    itemId: String(insight.id),
    name: insight.name ?? insight.derivedName,
    shortId: insight.shortId,
  }) satisfies Partial<ActivityEntry>;
