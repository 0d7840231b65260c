/**
 * Decides flags: takes a project and a request, gives a value with its reason for every flag the caller may see. Flag
 * definitions are in memory, ready to evaluate (`FlagSnapshots`). Of the person and the groups only what some flag needs
 * is read; experience continuity is all that is ever written.
 */
import { Failure } from '../../../core/errors.ts';
import { groupSubject } from '../../../core/events/changed-subjects.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import { prepareFlag } from '../rules/compile/prepare-flags.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { DecideRequest } from './decide-request.ts';
import type { FlagSnapshot, FlagSnapshots } from './flag-snapshots.ts';
import { type LoadSubjectDeps, loadSubject, needsStoredPerson, type UnreadData } from './load-subject.ts';

export interface DecideDeps extends LoadSubjectDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get' | 'cached'>;
  /** Undefined where no accepted event about these subjects is still to be processed. */
  writes: { settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined };
}

export interface Decision {
  /** In the order of the definitions. Flags that could not be evaluated are included, with reason `failed`. */
  evaluations: readonly FlagEvaluation[];
  hasErrors: boolean;
  /** The definitions that were used. */
  snapshot: FlagSnapshot;
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
  return chain(loadSubject(deps, projectId, snapshot, request), ({ subject, unread }) => {
    const all = evaluate(snapshot.prepared, subject, keysToEvaluate(snapshot, request));
    const evaluations = unread.length === 0 ? all : all.map((one) => failIfUnread(one, snapshot, request, unread));
    return { evaluations, hasErrors: evaluations.some(isFailed), snapshot };
  });
};

/** What the caller says goes before the place of the address, and that before what is stored. */
function withPlace({ prepared: { needs } }: FlagSnapshot, request: DecideRequest): DecideRequest {
  if (request.place === undefined || !needsPlace(needs.personProperties)) return request;
  return { ...request, personProperties: { ...request.place(), ...request.personProperties } };
}

function needsPlace(properties: ReadonlySet<string>): boolean {
  for (const key of properties) if (key.startsWith('$geoip_')) return true;
  return false;
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
  const flag = prepared.byKey.get(evaluation.key);
  if (flag === undefined) return evaluation;
  const { needs } = prepareFlag(flag.compiled.definition, prepared);
  const isHit =
    (lost.includes('person') && needsStoredPerson(needs, request)) ||
    (lost.includes('continuity') && needs.hasContinuity) ||
    (lost.includes('groups') && needs.groupTypes.size > 0);
  if (!isHit) return evaluation;
  const failure = 'The stored person or groups could not be read.';
  return { ...evaluation, value: false, reason: 'failed', conditionIndex: null, payload: undefined, failure };
}
