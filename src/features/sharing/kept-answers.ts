/** Answers that are computed at most once a minute, however many ask for them. */
import { MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import { Throttle, throttled } from '../../lib/throttle.ts';
import type { Share } from './store/share-store.ts';

interface KeptAnswer {
  until: number;
  answer: Promise<string>;
}

const MAX_KEPT = 500;
/** A failure is told to whoever asks meanwhile, rather than computed again for each. */
const KEPT_FAILURE_MS = 5 * SECOND_MS;
/** For each link, so that visitors who filter a site cannot keep the event store busy. */
const MAX_COMPUTED_PER_MINUTE = 120;

export class KeptAnswers {
  readonly #clock: Clock;
  readonly #computed: Throttle;
  readonly #kept = new Map<string, KeptAnswer>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#computed = new Throttle(clock, MAX_COMPUTED_PER_MINUTE, MINUTE_MS);
  }

  /** `question`: what the answer depends on, beside the link as it is now. */
  get({ id, updatedAt }: Share, question: string, compute: () => Promise<string>): Promise<string> {
    const key = `${id} ${updatedAt} ${question}`;
    const now = this.#clock.now();
    const known = this.#kept.get(key);
    if (known && now < known.until && known.until <= now + MINUTE_MS) return known.answer;
    const wait = this.#computed.secondsUntilAllowed(id);
    if (wait > 0) throw throttled(wait);
    this.#computed.record(id);
    const answer = compute();
    this.#keep(key, { until: now + MINUTE_MS, answer });
    return answer;
  }

  #keep(key: string, kept: KeptAnswer): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.answer.catch(() => {
      kept.until = Math.min(kept.until, this.#clock.now() + KEPT_FAILURE_MS);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
