/** What everybody did, with their ids. */
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ChangeMark, EventChanges } from '../../../stores/events/event-changes.ts';
import type { UuidColumn } from '../../../stores/events/event-store.ts';
import { actorBatches } from '../../insights/shared/actor-rows.ts';
import { countEventsIn } from '../../insights/shared/batch-sql.ts';
import type { ExperimentQuestion } from '../rules/experiment-question.ts';
import { type MeasuredActors, measureActors } from './measured-actors.ts';
import { identifiedRows } from './read-apart.ts';
import { planReading } from './reading.ts';

export interface EverybodyDeps extends Pick<ScanDeps, 'signal'> {
  changes: EventChanges;
}

interface IdentifiedActors {
  /** By the number of the actor. */
  ids: UuidColumn;
  measured: MeasuredActors;
}

/** All of the exposed, some at a time. The mark is from before. */
export async function* measureEverybody(
  deps: EverybodyDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  mark: ChangeMark,
): AsyncGenerator<IdentifiedActors> {
  const { exposure } = question;
  const { range } = planReading(question);
  for await (const batch of actorBatches(await countEventsIn(query, range))) {
    deps.signal?.throwIfAborted();
    const { ids, rows } = await identifiedRows(deps, query, question, mark, batch);
    yield { ids, measured: await measureActors(rows, exposure, exposure.range.until) };
  }
}
