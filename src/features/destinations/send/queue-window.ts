/** Events that were taken from the queue of a destination together, and what has become of them. */

import type { SentEvent } from '../rules/event-values.ts';
import type { Mask } from '../rules/masking.ts';
import type { TemplateValues } from '../rules/template.ts';
import type { LogLine, SentState } from '../store/destination-store.ts';

export interface QueueWindow {
  revision: number;
  rows: readonly number[];
  /** What is left to send, in order. */
  lanes: WaitingEvent[][];
  masks: ReadonlyMap<string, Mask>;
  counts: Map<SentState, number>;
  lines: Omit<LogLine, 'id'>[];
  /** Of events that failed: how often, and how many others had been delivered before the first time. */
  failures: Map<string, { attempts: number; deliveredBefore: number }>;
  delivered: number;
  latest: number;
}

export interface WaitingEvent extends SentEvent {
  values: TemplateValues;
}

export const countOutcome = ({ counts }: QueueWindow, state: SentState, events: number): void => {
  counts.set(state, (counts.get(state) ?? 0) + events);
};
