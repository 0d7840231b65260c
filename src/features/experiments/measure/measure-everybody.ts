/** What everybody did, with their ids: half of the persons are measured on the second thread, if there are many events. */
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ChangeMark, EventChanges } from '../../../stores/events/event-changes.ts';
import type { UuidColumn } from '../../../stores/events/event-store.ts';
import { type ActorBatch, actorBatches } from '../../insights/shared/actor-rows.ts';
import { countEventsIn } from '../../insights/shared/batch-sql.ts';
import type { ExperimentQuestion } from '../rules/experiment-question.ts';
import { type ExperimentThreadMethods, leaveRows } from '../thread-methods.ts';
import { type MeasuredActors, measureActors } from './measured-actors.ts';
import { identifiedRows } from './read-apart.ts';
import { planReading } from './reading.ts';

export interface EverybodyDeps extends Pick<ScanDeps, 'signal'> {
  changes: EventChanges;
  /** The methods of the second thread; undefined where there is only one processor. */
  secondThread?: (() => ExperimentThreadMethods | undefined) | undefined;
  /** From so many events on it is used. */
  minSharedEvents?: number;
}

interface IdentifiedActors {
  /** By the number of the actor. */
  ids: UuidColumn;
  measured: MeasuredActors;
}

/** With fewer events, waking the other thread takes longer than it saves. */
const MIN_SHARED_EVENTS = 200_000;

/** All of the exposed, some at a time. The mark is from before. */
export async function* measureEverybody(
  deps: EverybodyDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  mark: ChangeMark,
): AsyncGenerator<IdentifiedActors> {
  const { range, hasTies } = planReading(question);
  const events = await countEventsIn(query, range);
  for await (const batch of actorBatches(events)) {
    deps.signal?.throwIfAborted();
    // The order of events at the same time is known to this thread only.
    const second = hasTies || events < (deps.minSharedEvents ?? MIN_SHARED_EVENTS) ? undefined : deps.secondThread?.();
    const given = { deps, query, question, mark, batch };
    const halves = second === undefined ? null : await inHalves(given, second);
    if (halves !== null) yield* halves;
    else yield await alone(given);
  }
}

interface Given {
  deps: EverybodyDeps;
  query: EventQuery;
  question: ExperimentQuestion;
  mark: ChangeMark;
  batch: ActorBatch;
}

async function alone({ deps, query, question, ...given }: Given): Promise<IdentifiedActors> {
  const { exposure } = question;
  const [all] = await identifiedRows(deps, query, question, { ...given, partBits: 0 });
  if (all === undefined) throw new Error('Nothing was read.');
  return { ids: all.ids, measured: await measureActors(all.rows, exposure, exposure.range.until) };
}

/** Null if the other thread fails: it has taken its rows with it. */
async function inHalves(
  { deps, query, question, ...given }: Given,
  second: ExperimentThreadMethods,
): Promise<IdentifiedActors[] | null> {
  const { exposure } = question;
  const [here, there] = await identifiedRows(deps, query, question, { ...given, partBits: 1 });
  if (here === undefined || there === undefined) throw new Error('Half of the persons were not read.');
  const others = second.measureRows(question, leaveRows(there.rows)).catch(() => null);
  const measured = await measureActors(here.rows, exposure, exposure.range.until);
  const measuredThere = await others;
  if (measuredThere === null) return null;
  return [
    { ids: here.ids, measured },
    { ids: there.ids, measured: measuredThere },
  ];
}
