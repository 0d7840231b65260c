import type { FlagDefinition } from '../flag.ts';
import type { EvaluationReason, FlagEvaluation } from '../flag-evaluation.ts';

type Flag = Pick<FlagDefinition, 'key' | 'id' | 'version' | 'hasExperiment'>;

/**
 * The possible outcomes of one flag. There are only a few per condition, so each is created once and shared: evaluation
 * allocates nothing, and the JSON of a response can be cached by outcome.
 */
export class FlagOutcomes {
  readonly #flag: Flag;
  readonly #payloads: ReadonlyMap<string, unknown>;
  /** By the index of the deciding condition plus one; the first is for none. */
  readonly #known: FlagEvaluation[][] = [];

  constructor(flag: Flag, payloads: ReadonlyMap<string, unknown>) {
    this.#flag = flag;
    this.#payloads = payloads;
  }

  get(value: boolean | string, reason: EvaluationReason, conditionIndex: number | null): FlagEvaluation {
    const place = conditionIndex === null ? 0 : conditionIndex + 1;
    const known = this.#known[place];
    if (known !== undefined) {
      for (const one of known) if (one.reason === reason && one.value === value) return one;
    }
    const made = this.#make(value, reason, conditionIndex, null);
    this.#known[place] = [...(known ?? []), made];
    return made;
  }

  /** Not shared, since the message varies. */
  failed(failure: string): FlagEvaluation {
    return this.#make(false, 'failed', null, failure);
  }

  #make(value: boolean | string, reason: EvaluationReason, conditionIndex: number | null, failure: string | null) {
    const { key, id, version, hasExperiment } = this.#flag;
    const payload = value === false ? undefined : this.#payloads.get(String(value));
    return { key, id, version, value, reason, conditionIndex, payload, failure, hasExperiment };
  }
}
