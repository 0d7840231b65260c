import { SECOND_MS } from '../../../core/time/units.ts';

/** In one round. When they are used up, alerts would rather be in time. */
const MAX_PAUSES_MS = 10 * SECOND_MS;

/** Of background work that leaves half of the time to others: each piece is followed by a pause as long as it took. */
export class Pauses {
  #left = MAX_PAUSES_MS;

  /** How long to wait after a piece of work. */
  after(tookMs: number): number {
    const pauseMs = Math.min(tookMs, this.#left);
    this.#left -= pauseMs;
    return pauseMs;
  }
}
