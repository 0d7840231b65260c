/**
 * The decide room: which flags are on for somebody. What comes in: a project and a request. What goes out: a value with
 * its reason for every flag that is offered to the caller. It keeps definitions in memory, ready to be evaluated, reads
 * what some flag asks of the person and the groups, and writes only to let a flag keep its value at a login.
 */
import { Failure } from '../../../core/errors.ts';
import { groupSubject } from '../../../core/events/changed-subjects.ts';
import { after, type Eventually } from '../../../lib/maybe-async.ts';
import { prepareFlag } from '../rules/compile/prepare-flags.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { DecideRequest } from './decide-request.ts';
import type { Definitions, Snapshot } from './definitions.ts';
import { type LoadDeps, type Lost, loadSubject, needsPerson } from './load-subject.ts';

export interface DecideDeps extends LoadDeps {
  definitions: Pick<Definitions, 'of' | 'ready'>;
  /** Undefined where nothing that was acknowledged about these subjects waits to be processed. */
  writes: { settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined };
}

export interface Decision {
  /** In the order of their definitions; those that could not be evaluated are among them, with reason `failed`. */
  evaluations: readonly FlagEvaluation[];
  hasErrors: boolean;
  /** What it was decided by. */
  snapshot: Snapshot;
}

/** At once, where nothing has to be waited for. */
export function decide(deps: DecideDeps, projectId: number, request: DecideRequest): Eventually<Decision> {
  const snapshot = deps.definitions.ready(projectId);
  if (snapshot === undefined) return decideLater(deps, projectId, request);
  const settled = settledFor(deps, projectId, snapshot, request);
  return settled === undefined
    ? decideBy(deps, projectId, snapshot, request)
    : decideLater(deps, projectId, request, settled);
}

async function decideLater(
  deps: DecideDeps,
  projectId: number,
  request: DecideRequest,
  settled?: Promise<void>,
): Promise<Decision> {
  await (settled ?? settledFor(deps, projectId, await definitionsOf(deps, projectId), request));
  // Read afterwards: what was waited for may have brought a new kind of group.
  return decideBy(deps, projectId, await definitionsOf(deps, projectId), request);
}

const decideBy = (
  deps: DecideDeps,
  projectId: number,
  snapshot: Snapshot,
  request: DecideRequest,
): Eventually<Decision> =>
  after(loadSubject(deps, projectId, snapshot, request), ({ subject, lost }) => {
    const all = evaluate(snapshot.prepared, subject, keysFor(snapshot, request));
    const evaluations = lost.length === 0 ? all : all.map((one) => withoutLost(one, snapshot, request, lost));
    return { evaluations, hasErrors: evaluations.some(isFailed), snapshot };
  });

const isFailed = ({ reason }: FlagEvaluation): boolean => reason === 'failed';

/** Resolves when everything is stored that was acknowledged about the subject before, as far as some flag asks for it. */
function settledFor(
  { writes }: DecideDeps,
  projectId: number,
  snapshot: Snapshot,
  request: DecideRequest,
): Promise<void> | undefined {
  const subjects = subjectsOf(snapshot, request);
  return subjects.length === 0 ? undefined : writes.settled(projectId, subjects);
}

export async function definitionsOf(deps: Pick<DecideDeps, 'definitions'>, projectId: number): Promise<Snapshot> {
  try {
    return await deps.definitions.of(projectId);
  } catch (cause) {
    throw new Failure('unavailable', 'The flags could not be read; try again in a moment.', { retryAfter: 2, cause });
  }
}

/** Whose stored data can change a value. */
function subjectsOf({ prepared: { needs } }: Snapshot, request: DecideRequest): readonly string[] {
  const subjects: string[] = [];
  if (needsPerson(needs, request)) {
    subjects.push(request.distinctId);
    if (request.anonDistinctId !== null) subjects.push(request.anonDistinctId);
  }
  if (needs.groupTypes.size > 0) for (const [type, key] of request.groups) subjects.push(groupSubject(type, key));
  return subjects;
}

/** Undefined for all flags. */
function keysFor({ offered }: Snapshot, { flagKeys, runtime }: DecideRequest): ReadonlySet<string> | undefined {
  const isForAll = offered.client === undefined && offered.server === undefined;
  const open = isForAll ? undefined : offered[runtime()];
  if (flagKeys === null) return open;
  return open === undefined ? flagKeys : new Set([...flagKeys].filter((key) => open.has(key)));
}

/** Only when a store has failed: a flag that would have needed what is missing has no value, the others keep theirs. */
function withoutLost(
  evaluation: FlagEvaluation,
  { prepared }: Snapshot,
  request: DecideRequest,
  lost: readonly Lost[],
): FlagEvaluation {
  const flag = prepared.byKey.get(evaluation.key);
  if (flag === undefined) return evaluation;
  const { needs } = prepareFlag(flag.compiled.definition, prepared);
  const isHit =
    (lost.includes('person') && needsPerson(needs, request)) ||
    (lost.includes('continuity') && needs.hasContinuity) ||
    (lost.includes('groups') && needs.groupTypes.size > 0);
  if (!isHit) return evaluation;
  const failure = 'What is stored of the person or the groups could not be read.';
  return { ...evaluation, value: false, reason: 'failed', conditionIndex: null, payload: undefined, failure };
}
