/** Projects: settings, keys, permissions. */

import { type Caller, currentOrganizationId, requireLevel } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { Failure, invalid, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { COOKIELESS_STATEFUL, DEFAULT_WEB_SETTINGS, type WebSettings } from '../../core/web/web-settings.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { digest } from '../../lib/secrets.ts';
import { ADMIN, type Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

export interface ProjectDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  /** Invalidated after each change. */
  directory: { invalidate(): void };
  /** Deletes the project's data in the event store. */
  removeEvents(projectId: number): Promise<void>;
}

/** `preferences` are for clients and have no effect on the server. */
export type ProjectChanges = Partial<
  Pick<
    Project,
    | 'name'
    | 'timezone'
    | 'anonymizeIps'
    | 'eventsRetentionDays'
    | 'testAccountFilters'
    | 'pathCleaningFilters'
    | 'slackIncomingWebhook'
    | 'cookielessServerHashMode'
  >
> & { preferences?: JsonObject; webAnalytics?: Partial<WebSettings> };

export function newProject(
  { clock, ids }: Pick<ProjectDeps, 'clock' | 'ids'>,
  organizationId: string,
  name: string,
  apiToken: string,
): Omit<Project, 'id'> {
  const now = clock.now();
  return {
    uuid: ids.uuid(),
    organizationId,
    name,
    apiToken,
    secretHash: null,
    timezone: 'UTC',
    anonymizeIps: false,
    eventsRetentionDays: null,
    testAccountFilters: [],
    pathCleaningFilters: [],
    slackIncomingWebhook: null,
    ingestedEvent: false,
    webAnalytics: DEFAULT_WEB_SETTINGS,
    cookielessServerHashMode: COOKIELESS_STATEFUL,
    preferences: {},
    createdAt: now,
    updatedAt: now,
  };
}

export async function createProject(deps: ProjectDeps, caller: Caller, changes: ProjectChanges): Promise<Project> {
  const organizationId = currentOrganizationId(caller);
  requireLevel(caller, organizationId, ADMIN);
  checkTimezone(changes.timezone);
  checkWebhook(changes.slackIncomingWebhook);
  return deps.metadata.transaction(async (store) => {
    const fresh = newProject(deps, organizationId, 'Default project', deps.ids.token('phc_'));
    const project = await store.projects.create(withChanges(fresh, changes));
    await recordActivity(deps, store, projectActivity(caller, project, 'created', null));
    return project;
  });
}

export async function updateProject(
  deps: ProjectDeps,
  caller: Caller,
  id: number,
  changes: ProjectChanges,
): Promise<Project> {
  checkTimezone(changes.timezone);
  checkWebhook(changes.slackIncomingWebhook);
  return updateAndInvalidate(deps, async (store) => {
    const before = await getProject(store, id);
    requireLevel(caller, before.organizationId, ADMIN);
    const after = { ...withChanges(before, changes), updatedAt: deps.clock.now() };
    const { id: _, uuid, organizationId, ...columns } = after;
    await store.projects.update(id, columns);
    const differences = changesBetween('Team', activityFields(before), activityFields(after));
    await recordActivity(deps, store, projectActivity(caller, after, 'updated', differences));
    return after;
  });
}

/** A new project key; the old one stops working immediately. */
export async function resetToken(deps: ProjectDeps, caller: Caller, id: number): Promise<Project> {
  const apiToken = deps.ids.token('phc_');
  return updateAndInvalidate(deps, (store) => changeKey(deps, store, caller, id, 'api_token', { apiToken }));
}

/** A new secret key, which is only returned here. */
export async function rotateSecret(
  deps: ProjectDeps,
  caller: Caller,
  id: number,
): Promise<{ project: Project; secret: string }> {
  const secret = deps.ids.token('phs_');
  return updateAndInvalidate(deps, async (store) => {
    const project = await changeKey(deps, store, caller, id, 'secret_api_token', { secretHash: digest(secret) });
    return { project, secret };
  });
}

async function changeKey(
  deps: ProjectDeps,
  store: MetadataStore,
  caller: Caller,
  id: number,
  field: string,
  change: Pick<Project, 'apiToken'> | Pick<Project, 'secretHash'>,
): Promise<Project> {
  const project = await getProject(store, id);
  requireLevel(caller, project.organizationId, ADMIN);
  const after = { ...project, ...change, updatedAt: deps.clock.now() };
  await store.projects.update(id, { ...change, updatedAt: after.updatedAt });
  // The activity log records the change, but not the keys.
  const changes = [{ type: 'Team', action: 'changed' as const, field, before: null, after: null }];
  await recordActivity(deps, store, projectActivity(caller, after, 'updated', changes));
  return after;
}

/** Deletes events first: if the event store is unavailable, nothing has happened and the request can be repeated. */
export async function deleteProject(deps: ProjectDeps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = await getProject(deps.metadata, id);
  requireLevel(caller, organizationId, ADMIN);
  await deps.removeEvents(id);
  await updateAndInvalidate(deps, async (store) => {
    const project = await getProject(store, id);
    await store.projects.delete(id);
    await store.projects.recordDeleted(id, deps.clock.now());
    await recordActivity(deps, store, { ...projectActivity(caller, project, 'deleted', null), projectId: null });
  });
  // Events that came meanwhile. Those still in the ingest log are removed by data retention.
  await deps.removeEvents(id);
}

/** Runs a transaction and invalidates cached projects. */
async function updateAndInvalidate<T>(deps: ProjectDeps, work: (store: MetadataStore) => Promise<T>): Promise<T> {
  const result = await deps.metadata.transaction(work);
  deps.directory.invalidate();
  return result;
}

async function getProject(store: MetadataStore, id: number): Promise<Project> {
  const project = await store.projects.get(id);
  if (!project) throw notFound();
  return project;
}

const withChanges = <P extends Omit<Project, 'id'>>(
  project: P,
  { preferences, webAnalytics, ...changes }: ProjectChanges,
): P => ({
  ...project,
  ...changes,
  webAnalytics: { ...project.webAnalytics, ...webAnalytics },
  preferences: { ...project.preferences, ...preferences },
});

function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (cause) {
    throw new Failure('invalid', `"${timezone}" is not a valid choice.`, {
      code: 'invalid_choice',
      attr: 'timezone',
      cause,
    });
  }
}

/** The schema has checked that it is a URL. */
function checkWebhook(url: string | null | undefined): void {
  if (!url) return;
  const { username, password } = new URL(url);
  if (username === '' && password === '') return;
  throw invalid('slack_incoming_webhook', 'The address must not contain a user name or password.');
}

/** Fields that the activity log compares, with their names in the API. */
const activityFields = (project: Omit<Project, 'id'>): Record<string, Json> => ({
  name: project.name,
  timezone: project.timezone,
  anonymize_ips: project.anonymizeIps,
  events_retention_days: project.eventsRetentionDays,
  test_account_filters: project.testAccountFilters,
  path_cleaning_filters: project.pathCleaningFilters,
  slack_incoming_webhook: project.slackIncomingWebhook,
  cookieless_server_hash_mode: project.cookielessServerHashMode,
  ...webActivityFields(project.webAnalytics),
  ...project.preferences,
});

const webActivityFields = (settings: WebSettings): Record<string, Json> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [`web_analytics.${key}`, value]));

const projectActivity = (
  caller: Caller,
  project: Project,
  activity: string,
  changes: ActivityEntry['changes'],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  activity,
  scope: 'Team',
  itemId: String(project.id),
  name: project.name,
  changes,
});
