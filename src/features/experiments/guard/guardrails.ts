/**
 * Guardrails of running experiments, measured once a minute by the leader. A variant that harms one is acted upon when
 * two checks in a row show it, with new data in between.
 *
 * What the checks have seen is only in memory: a new leader needs two checks of its own, and never acts on one alone.
 * Only those count who were exposed since the flag was last enabled, so that an experiment that somebody resumes after
 * a pause is judged by what happens then.
 */
import { isJsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { inTurn } from '../../../lib/in-turn.ts';
import type { LeaderTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Schedule, startSchedule } from '../../../lib/schedule.ts';
import type { ExperimentDeps } from '../manage/experiments.ts';
import type { ExperimentResults } from '../rules/assemble-results.ts';
import { evidenceOf } from '../rules/judge-guardrail.ts';
import type { Experiment } from '../store/experiment-store.ts';
import { type Alarm, alarmsIn, applyGuardrail, type Guarded } from './apply-guardrail.ts';

interface GuardrailDeps extends ExperimentDeps {
  /** Of the guardrails alone; null if there is nothing to measure. */
  measureGuardrails(experiment: Experiment): Promise<MeasuredGuardrails | null>;
  logger: Logger;
}

export interface MeasuredGuardrails extends Omit<Guarded, 'experiment'> {
  results: ExperimentResults;
  /** Whether a split that is not as planned pauses it. */
  pausesOnSplit: boolean;
  /** The variants that somebody gets: one that was rolled back already does no more harm. */
  live: readonly string[];
}

/** An alarm, and the numbers that it was raised on. */
interface Suspicion extends Alarm {
  numbers: string;
}

const CHECK_INTERVAL_MS = MINUTE_MS;
/** All checks together take at most this share of the time of one core. */
const MAX_SHARE = 0.05;

export class Guardrails implements LeaderTask {
  readonly #deps: GuardrailDeps;
  /** Experiment → alarm → the numbers of the last check. */
  readonly #seen = new Map<number, Map<string, string>>();
  #notBefore = 0;
  #schedule: Schedule | null = null;

  constructor(deps: GuardrailDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule ??= startSchedule({
      clock: this.#deps.clock,
      initialDelayMs: CHECK_INTERVAL_MS,
      intervalMs: CHECK_INTERVAL_MS,
      run: () => (this.#deps.clock.now() < this.#notBefore ? Promise.resolve() : this.check()),
      onError: (err) => this.#deps.logger.error({ err }, 'guardrails of experiments could not be read'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
  }

  /** Checks every running experiment once, after the current run: what that one has read may be outdated. */
  readonly check = inTurn(() => this.#checkAll());

  async #checkAll(): Promise<void> {
    const { clock, metadata, logger } = this.#deps;
    const began = clock.now();
    const guarded = (await metadata.experiments.listRunning(began)).filter(hasGuardrails);
    const ids = new Set(guarded.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    for (const experiment of guarded) {
      // One that cannot be measured must not keep others from being checked.
      await this.#checkOne(experiment).catch((err: unknown) =>
        logger.error({ err, project: experiment.projectId, experiment: experiment.id }, 'guardrails were not checked'),
      );
    }
    this.#notBefore = clock.now() + (clock.now() - began) / MAX_SHARE;
  }

  async #checkOne(experiment: Experiment): Promise<void> {
    const measured = await this.#deps.measureGuardrails(experiment);
    if (measured === null) {
      this.#seen.delete(experiment.id);
      return;
    }
    const told = new Set(alarmsIn(experiment.settings).map((alarm) => isJsonObject(alarm) && alarm['key']));
    const suspicions = suspicionsIn(measured).filter(({ key, action }) => action !== 'notify' || !told.has(key));
    const before = this.#seen.get(experiment.id) ?? new Map<string, string>();
    this.#seen.set(experiment.id, new Map(suspicions.map(({ key, numbers }) => [key, numbers])));
    const confirmed = suspicions.filter(({ key, numbers }) => before.has(key) && before.get(key) !== numbers);
    for (const suspicion of confirmed.sort(byWeight).slice(0, 1)) await this.#act(experiment, measured, suspicion);
  }

  async #act(experiment: Experiment, measured: MeasuredGuardrails, { numbers: _, ...alarm }: Suspicion): Promise<void> {
    if (!(await applyGuardrail(this.#deps, { ...measured, experiment }, alarm))) return;
    this.#deps.logger.warn(
      { project: experiment.projectId, experiment: experiment.id, action: alarm.action, ...alarm.evidence },
      'a guardrail of an experiment was harmed',
    );
  }
}

const hasGuardrails = ({ settings: { guardrails, pause_on_split: pausesOnSplit } }: Experiment): boolean =>
  pausesOnSplit === true || (Array.isArray(guardrails) && guardrails.length > 0);

/** One action is enough at a time: the strongest. */
const WEIGHTS = { roll_back: 0, pause: 1, notify: 2 } as const;
const byWeight = (a: Alarm, b: Alarm): number => WEIGHTS[a.action] - WEIGHTS[b.action];

function suspicionsIn({ results, live, pausesOnSplit }: MeasuredGuardrails): Suspicion[] {
  if (results.verdict === 'split_broken') {
    const { chiSquare, pValue } = results.sampleRatio;
    const evidence = { split: 'mismatch', chi2: chiSquare, p_value: pValue, sentence: results.sentence };
    return [{ action: pausesOnSplit ? 'pause' : 'notify', key: 'split', evidence, numbers: JSON.stringify(evidence) }];
  }
  return results.metrics.flatMap(({ metric, baseline, variants }) =>
    variants.flatMap((variant): Suspicion[] => {
      const { guardrail } = metric;
      if (guardrail === null || variant.verdict !== 'harm' || !live.includes(variant.key)) return [];
      const evidence = { ...evidenceOf({ metric, guardrail, baseline, ...variant }), sentence: variant.sentence };
      return [
        {
          action: guardrail.action,
          key: `${metric.uuid} ${variant.key}`,
          evidence,
          numbers: JSON.stringify(evidence),
        },
      ];
    }),
  );
}
