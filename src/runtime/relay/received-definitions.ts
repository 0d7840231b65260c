/** The definitions that a relay has, as they came, and what they are for the evaluator. */
import type { BucketingIdentifier, EvaluationRuntime } from '../../core/flag-options.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { buildSnapshot, type FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';

/** What an event of the stream says; also what the copy on disk has. */
export interface ReceivedDefinitions {
  version: number;
  etag: string;
  changed_at: number;
  project: { id: number; api_token: string; geoip: boolean };
  group_type_mapping: Readonly<Record<string, string>>;
  flags: Readonly<Record<string, JsonObject>>;
  cohorts: Readonly<Record<string, JsonObject>>;
}

interface StreamedChange extends Partial<Pick<ReceivedDefinitions, 'project' | 'group_type_mapping'>> {
  version: number;
  etag: string;
  changed_at: number;
  put: readonly JsonObject[];
  drop: readonly string[];
  cohorts: Readonly<Record<string, JsonObject | null>>;
}

/** Null: the change is none, or belongs to definitions that are not there. */
export function applyChange(
  before: ReceivedDefinitions | null,
  data: Json,
  isReset: boolean,
): ReceivedDefinitions | null {
  const change = readChange(data);
  if (change === null) return null;
  const base = isReset ? null : before;
  const project = change.project ?? base?.project;
  const groupTypes = change.group_type_mapping ?? base?.group_type_mapping;
  if (project === undefined || groupTypes === undefined) return null;
  const flags: Record<string, JsonObject> = { ...base?.flags };
  for (const key of change.drop) delete flags[key];
  for (const flag of change.put) flags[String(flag['key'])] = flag;
  const cohorts: Record<string, JsonObject> = { ...base?.cohorts };
  for (const [id, cohort] of Object.entries(change.cohorts)) {
    if (cohort === null) delete cohorts[id];
    else cohorts[id] = cohort;
  }
  const { version, etag, changed_at } = change;
  return { version, etag, changed_at, project, group_type_mapping: groupTypes, flags, cohorts };
}

function readChange(data: Json): StreamedChange | null {
  if (!isJsonObject(data)) return null;
  const { version, put, drop, cohorts } = data;
  const isChange =
    Number.isSafeInteger(version) && Array.isArray(put) && put.every(isJsonObject) && Array.isArray(drop);
  return isChange && isJsonObject(cohorts) ? (data as unknown as StreamedChange) : null;
}

export function snapshotOf(received: ReceivedDefinitions, last: FlagSnapshot | null): FlagSnapshot {
  const flags = Object.values(received.flags).map((flag) => toFlag(received.project.id, flag));
  // As the stores list them: newest first.
  flags.sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const measured = flags.filter(({ key }) => received.flags[key]?.['has_experiment'] === true);
  return buildSnapshot(
    {
      flags,
      cohorts: Object.entries(received.cohorts).map(([id, cohort]) =>
        toCohort(received.project.id, Number(id), cohort),
      ),
      groupTypes: new Map(Object.entries(received.group_type_mapping).map(([index, name]) => [Number(index), name])),
      measuredFlags: new Set(measured.map(({ id }) => id)),
    },
    last?.prepared,
  );
}

const toFlag = (projectId: number, flag: JsonObject): FeatureFlag => ({
  id: Number(flag['id']),
  projectId,
  key: String(flag['key']),
  name: String(flag['name'] ?? ''),
  filters: (flag['filters'] ?? {}) as JsonObject,
  active: flag['active'] === true,
  deleted: false,
  ensureExperienceContinuity: flag['ensure_experience_continuity'] === true,
  rollbackConditions: null,
  performedRollback: null,
  tags: [],
  evaluationRuntime: flag['evaluation_runtime'] as EvaluationRuntime,
  bucketingIdentifier: flag['bucketing_identifier'] as BucketingIdentifier,
  isRemoteConfiguration: flag['is_remote_configuration'] === true,
  activeSince: 0,
  version: Number(flag['version']),
  createdAt: Number(flag['created_at']),
  createdBy: null,
  updatedAt: 0,
  lastModifiedBy: null,
  promotedFrom: null,
});

const toCohort = (projectId: number, id: number, { is_static, filters, groups }: JsonObject): Cohort => ({
  id,
  projectId,
  name: '',
  description: '',
  groups: (groups ?? []) as Cohort['groups'],
  filters: (filters ?? {}) as Cohort['filters'],
  isStatic: is_static === true,
  deleted: false,
  isCalculating: false,
  lastCalculation: null,
  errorsCalculating: 0,
  count: null,
  version: 1,
  createdAt: 0,
  createdBy: null,
});

/** Of a project a relay knows no more than its routes read. */
export const projectOf = ({ project }: ReceivedDefinitions): Project =>
  ({ id: project.id, apiToken: project.api_token, webAnalytics: { geoip: project.geoip } }) as Project;
