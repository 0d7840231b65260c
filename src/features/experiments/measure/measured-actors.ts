import type { ExposureQuestion } from '../rules/experiment-question.ts';
import { type ActorExposures, exposuresByActor } from './actor-exposures.ts';
import { type MetricValues, valuesByActor } from './actor-values.ts';
import type { ExperimentRows } from './experiment-rows.ts';

/** What was measured of some actors, or of all: columns by actor. */
export interface MeasuredActors {
  readonly exposures: ActorExposures;
  /** In the order of the metrics. */
  readonly values: readonly MetricValues[];
}

/** As it was at `until`. */
export async function measureActors(
  rows: ExperimentRows,
  exposure: ExposureQuestion,
  until: number,
): Promise<MeasuredActors> {
  const exposures = await exposuresByActor(rows, exposure, until);
  return { exposures, values: await valuesByActor(rows, exposures, { until, timezone: exposure.timezone }) };
}
