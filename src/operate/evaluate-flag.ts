/** The value of a flag for a user and the reason, now or at a time in the past. */
import { Failure } from '../core/errors.ts';
import type { JsonObject } from '../core/json/json.ts';
import { decide } from '../features/flags/decide/decide.ts';
import { decideAt } from '../features/flags/decide/decide-in-past.ts';
import { type DecideRequest, requestFor } from '../features/flags/decide/decide-request.ts';
import { describeReason, type FlagEvaluation } from '../features/flags/rules/flag-evaluation.ts';
import { getPersonAtTime } from '../features/persons/history/person-in-past.ts';
import type { FeatureFlag } from '../stores/metadata/flags.ts';
import type { OperateDeps } from './deps.ts';
import { chosenProject } from './lookups.ts';
import type { Operation } from './operation.ts';

interface FlagQuery {
  project: number | null;
  flag: string;
  user: string;
  /** Null: now. */
  at: number | null;
  /** Override the stored ones. */
  properties: JsonObject;
  groups: Record<string, string>;
}

export interface FlagAnswer {
  flag: string;
  user: string;
  /** ISO 8601. */
  at: string;
  value: boolean | string;
  reason: string;
  description: string;
  condition: number | null;
  payload: unknown;
  version: number;
  /** The uuid of the person; null if no person has or had the id. */
  person: string | null;
  person_properties: JsonObject;
  /** What may have been different, since it has no history. */
  assumed: string[];
}

export const explainFlag: Operation<FlagQuery, FlagAnswer> = async (deps, asked) => {
  const { id: projectId } = await chosenProject(deps.metadata, asked.project);
  const request = requestFor(asked.user, {
    personProperties: asked.properties,
    groups: new Map(Object.entries(asked.groups)),
    flagKeys: new Set([asked.flag]),
    runtime: () => 'any',
  });
  const { at, flags, evaluations, person } = await (asked.at === null
    ? decideNow(deps, projectId, request)
    : decideInPast(deps, projectId, request, asked.at));
  const flag = flags.find(({ key }) => key === asked.flag);
  if (!flag) throw noFlag(asked, flags);
  const found = evaluations.find(({ key }) => key === asked.flag);
  return {
    flag: flag.key,
    user: asked.user,
    at: new Date(at).toISOString(),
    ...outcome(found),
    version: flag.version,
    person: person?.uuid ?? null,
    person_properties: { ...person?.properties, ...asked.properties },
    assumed: asked.at === null ? [] : assumptionsOf(flag, asked),
  };
};

function outcome(found: FlagEvaluation | undefined) {
  if (!found) {
    return {
      value: false,
      reason: 'disabled',
      description: 'Feature flag is disabled',
      condition: null,
      payload: null,
    };
  }
  const { value, reason, conditionIndex: condition, failure, payload = null } = found;
  return { value, reason, description: failure ?? describeReason(reason, condition), condition, payload };
}

async function decideNow(deps: OperateDeps, projectId: number, request: DecideRequest) {
  const { evaluations, snapshot } = await decide(deps.decide, projectId, request);
  const person = await deps.metadata.persons.getByDistinctId(projectId, request.distinctId);
  return { at: deps.clock.now(), flags: snapshot.flags, evaluations, person };
}

async function decideInPast(deps: OperateDeps, projectId: number, request: DecideRequest, at: number) {
  await deps.whenProcessed();
  const asking = { ...deps.eventQueries, metadata: deps.metadata };
  const person = await getPersonAtTime(asking, projectId, request.distinctId, at);
  const past = { ...deps.decide, metadata: deps.metadata };
  return { at, person, ...(await decideAt(past, projectId, request, at, person?.properties ?? {})) };
}

function noFlag({ flag, at }: FlagQuery, flags: readonly FeatureFlag[]): Failure {
  const when = at === null ? '' : ` at ${new Date(at).toISOString()}`;
  const keys = flags.map(({ key }) => key).sort();
  const known = keys.length === 0 ? 'There are none.' : `There are: ${keys.slice(0, 20).join(', ')}.`;
  return new Failure('not_found', `There is no flag "${flag}"${when}. ${known}`);
}

function assumptionsOf({ filters, ensureExperienceContinuity }: FeatureFlag, { groups }: FlagQuery): string[] {
  const text = JSON.stringify(filters);
  const assumed: string[] = [];
  if (text.includes('"cohort"')) assumed.push('Cohorts are defined as they are now.');
  if (Object.keys(groups).length > 0) assumed.push('Groups have the properties that they have now.');
  if (ensureExperienceContinuity) assumed.push('Values that are kept across logins are those that are kept now.');
  return assumed;
}
