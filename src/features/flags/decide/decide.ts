/**
 * Decides flags: takes a project and a request, gives a value with its reason for every flag the caller may see. Flag
 * definitions are in memory, ready to evaluate (`FlagSnapshots`). Of the person and the groups only what some flag needs
 * is read; experience continuity is all that is ever written.
 */
import { Failure } from '../../../core/errors.ts';
import { groupSubject } from '../../../core/events/changed-subjects.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { DecideRequest } from './decide-request.ts';
import type { Decision } from './decision.ts';
import type { FlagSnapshot, FlagSnapshots } from './flag-snapshots.ts';
import {
  type LoadedSubject,
  type LoadSubjectDeps,
  loadSubject,
  needsStoredPerson,
  type UnreadData,
} from './load-subject.ts';
import { needsOfFlag } from './needs-of-flag.ts';
import type { DecisionInputs, RecentDecisions } from './recent-decisions.ts';

export interface DecideDeps extends LoadSubjectDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get' | 'cached'>;
  recentDecisions: RecentDecisions;
  /**
   * In a relay, which has no stored persons: the decision of its server, for requests that depend on one. Undefined: decided
   * here; null: the server cannot be asked.
   */
  ask?: (projectId: number, snapshot: FlagSnapshot, request: DecideRequest) => Promise<Decision | null> | undefined;
  /** Undefined where no accepted event about these subjects is still to be processed. */
  writes: { settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined };
}

/** Synchronous if everything it needs is in memory. */
export function decide(deps: DecideDeps, projectId: number, request: DecideRequest): MaybePromise<Decision> {
  const snapshot = deps.flagSnapshots.cached(projectId);
  if (snapshot === undefined) return decideAsync(deps, projectId, request);
  const settled = pendingWritesFor(deps, projectId, snapshot, request);
  return settled === undefined
    ? decideWith(deps, projectId, snapshot, request)
    : decideAsync(deps, projectId, request, settled);
}

async function decideAsync(
  deps: DecideDeps,
  projectId: number,
  request: DecideRequest,
  settled?: Promise<void>,
): Promise<Decision> {
  await (settled ?? pendingWritesFor(deps, projectId, await getSnapshot(deps, projectId), request));
  // Got again: the events that were waited for may have added a group type.
  return decideWith(deps, projectId, await getSnapshot(deps, projectId), request);
}

const decideWith = (
  deps: DecideDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  sent: DecideRequest,
): MaybePromise<Decision> => {
  const request = withPlace(snapshot, sent);
  const asked = deps.ask?.(projectId, snapshot, request);
  if (asked === undefined) return decideHere(deps, projectId, snapshot, request);
  return asked.then((decision) => decision ?? decideHere(deps, projectId, snapshot, request));
};

const decideHere = (
  deps: DecideDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  request: DecideRequest,
): MaybePromise<Decision> =>
  chain(loadSubject(deps, projectId, snapshot, request), (loaded) => {
    const keys = keysToEvaluate(snapshot, request);
    const inputs = reusableInputs(snapshot, request, loaded, keys);
    if (inputs === null) return decideFor(snapshot, request, loaded, keys);
    const recent = deps.recentDecisions.get(snapshot, inputs);
    if (recent !== undefined) return recent;
    const decision = decideFor(snapshot, request, loaded, keys);
    deps.recentDecisions.add(inputs, decision);
    return decision;
  });

/** What the caller says goes before the place of the address, and that before what is stored. */
function withPlace({ prepared: { needs } }: FlagSnapshot, request: DecideRequest): DecideRequest {
  if (request.place === null || !needs.hasPlace) return request;
  return { ...request, personProperties: { ...request.place(), ...request.personProperties } };
}

/** Null if the decision depends on more than can be compared at once. */
function reusableInputs(
  { prepared: { needs } }: FlagSnapshot,
  { distinctId, deviceId, personProperties, flagKeys }: DecideRequest,
  { person }: LoadedSubject,
  keys: ReadonlySet<string> | undefined,
): DecisionInputs | null {
  if (person === undefined || needs.hasRelativeDates || flagKeys !== null) return null;
  for (const _key in personProperties) return null;
  return { distinctId, deviceId, person, keys };
}

function decideFor(
  snapshot: FlagSnapshot,
  request: DecideRequest,
  { subject, unread }: LoadedSubject,
  keys: ReadonlySet<string> | undefined,
): Decision {
  const all = evaluate(snapshot.prepared, subject, keys);
  const evaluations = unread.length === 0 ? all : all.map((one) => failIfUnread(one, snapshot, request, unread));
  return { evaluations, hasErrors: evaluations.some(isFailed), snapshot };
}

const isFailed = ({ reason }: FlagEvaluation): boolean => reason === 'failed';

/** Resolves when all accepted events about the subject are processed; undefined if no flag depends on them. */
function pendingWritesFor(
  { writes }: DecideDeps,
  projectId: number,
  snapshot: FlagSnapshot,
  request: DecideRequest,
): Promise<void> | undefined {
  const subjects = subjectsRead(snapshot, request);
  return subjects.length === 0 ? undefined : writes.settled(projectId, subjects);
}

export async function getSnapshot(deps: Pick<DecideDeps, 'flagSnapshots'>, projectId: number): Promise<FlagSnapshot> {
  try {
    return await deps.flagSnapshots.get(projectId);
  } catch (cause) {
    throw new Failure('unavailable', 'The flags could not be read; try again in a moment.', { retryAfter: 2, cause });
  }
}

/** The persons and groups whose stored data can change a value. */
function subjectsRead({ prepared: { needs } }: FlagSnapshot, request: DecideRequest): readonly string[] {
  const subjects: string[] = [];
  if (needsStoredPerson(needs, request)) {
    subjects.push(request.distinctId);
    if (request.anonDistinctId !== null) subjects.push(request.anonDistinctId);
  }
  if (needs.groupTypes.size > 0) for (const [type, key] of request.groups) subjects.push(groupSubject(type, key));
  return subjects;
}

/** Undefined: all flags. */
function keysToEvaluate(
  { keysByRuntime }: FlagSnapshot,
  { flagKeys, runtime }: DecideRequest,
): ReadonlySet<string> | undefined {
  const isForAll = keysByRuntime.client === undefined && keysByRuntime.server === undefined;
  const open = isForAll ? undefined : keysByRuntime[runtime()];
  if (flagKeys === null) return open;
  return open === undefined ? flagKeys : new Set([...flagKeys].filter((key) => open.has(key)));
}

/** For when a store failed: a flag that needs data that could not be read fails, the others keep their value. */
function failIfUnread(
  evaluation: FlagEvaluation,
  { prepared }: FlagSnapshot,
  request: DecideRequest,
  lost: readonly UnreadData[],
): FlagEvaluation {
  const needs = needsOfFlag(prepared, evaluation.key);
  if (needs === undefined) return evaluation;
  const isHit =
    (lost.includes('person') && needsStoredPerson(needs, request)) ||
    (lost.includes('continuity') && needs.hasContinuity) ||
    (lost.includes('groups') && needs.groupTypes.size > 0);
  if (!isHit) return evaluation;
  const failure = 'The stored person or groups could not be read.';
  return { ...evaluation, value: false, reason: 'failed', conditionIndex: null, payload: undefined, failure };
}
