/** Creates and changes annotations: notes on charts that say what happened when. */
import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Annotation } from './store/annotation-store.ts';

export interface AnnotationDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export type AnnotationChanges = Partial<
  Pick<Annotation, 'content' | 'dateMarker' | 'scope' | 'insightId' | 'dashboardId' | 'creationType' | 'deleted'>
>;

const ANNOTATION = 'Annotation';

export function createAnnotation(
  deps: AnnotationDeps,
  caller: Caller,
  project: Project,
  changes: AnnotationChanges & Pick<Annotation, 'content'>,
): Promise<Annotation> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const draft = {
      organizationId: project.organizationId,
      projectId: project.id,
      scope: defaultScope(changes),
      insightId: null,
      dashboardId: null,
      dateMarker: now,
      creationType: 'USR' as const,
      deleted: false,
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
      ...changes,
    };
    requireWholeOrganization(caller, draft);
    await requireSubject(store, project, draft);
    const annotation = await store.annotations.create(draft);
    await recordActivity(deps, store, { ...about(caller, project, annotation), activity: 'created', changes: null });
    return annotation;
  });
}

/** Only what is given changes. */
export function updateAnnotation(
  deps: AnnotationDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: AnnotationChanges,
): Promise<Annotation> {
  return deps.metadata.transaction(async (store) => {
    const before = await getAnnotation(store, project, id);
    const after = { ...before, ...changes, updatedAt: deps.clock.now() };
    requireWholeOrganization(caller, before, after);
    await requireSubject(store, { ...project, id: before.projectId }, after);
    await store.annotations.update(after);
    const differences = changesBetween(ANNOTATION, visible(before), visible(after));
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes: differences });
    return after;
  });
}

export async function getAnnotation(store: MetadataStore, project: Project, id: number): Promise<Annotation> {
  const annotation = await store.annotations.get(project, id);
  if (!annotation) throw notFound();
  return annotation;
}

function defaultScope({ insightId, dashboardId }: AnnotationChanges): Annotation['scope'] {
  if (insightId !== null && insightId !== undefined) return 'dashboard_item';
  return dashboardId !== null && dashboardId !== undefined ? 'dashboard' : 'project';
}

/** A key for some projects does not write on the charts of others. */
function requireWholeOrganization({ key }: Caller, ...annotations: Pick<Annotation, 'scope'>[]): void {
  if (!key?.projectIds || annotations.every(({ scope }) => scope !== 'organization')) return;
  throw forbidden('A key that is limited to projects cannot write annotations of the organization.');
}

/** The insight or dashboard that the scope is about, of this project. */
async function requireSubject(
  store: MetadataStore,
  { id }: Pick<Project, 'id'>,
  { scope, insightId, dashboardId }: Pick<Annotation, 'scope' | 'insightId' | 'dashboardId'>,
): Promise<void> {
  if (scope === 'dashboard_item' && insightId === null)
    throw invalid('dashboard_item', 'An annotation with this scope needs the id of its insight.', 'required');
  if (scope === 'dashboard' && dashboardId === null)
    throw invalid('dashboard_id', 'An annotation with this scope needs the id of its dashboard.', 'required');
  if (insightId !== null && !(await store.insights.get(id, insightId)))
    throw invalid('dashboard_item', `This project has no insight with the id ${insightId}.`, 'does_not_exist');
  if (dashboardId !== null && !(await store.dashboards.get(id, dashboardId)))
    throw invalid('dashboard_id', `This project has no dashboard with the id ${dashboardId}.`, 'does_not_exist');
}

const visible = ({ content, dateMarker, scope, insightId, dashboardId, deleted }: Annotation) =>
  ({
    content,
    date_marker: new Date(dateMarker).toISOString(),
    scope,
    dashboard_item: insightId,
    dashboard_id: dashboardId,
    deleted,
  }) satisfies Record<string, Json>;

const about = (caller: Caller, project: Project, annotation: Annotation) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: ANNOTATION,
    itemId: String(annotation.id),
    name: annotation.content.slice(0, 100),
  }) satisfies Partial<ActivityEntry>;
