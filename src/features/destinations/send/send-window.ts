/** Sends the events of a window: those of one distinct id in order, or all in batches. */
import type { Clock } from '../../../lib/clock.ts';
import type { PostOutcome } from '../../webhooks/post-to-webhook.ts';
import { eventBody, webhookId } from '../rules/event-values.ts';
import type { Destination, LogLine, SentState } from '../store/destination-store.ts';
import { countOutcome, type QueueWindow, type WaitingEvent } from './queue-window.ts';
import { type SendDeps, sendBatch, sendEvent } from './send-events.ts';

interface SendWindowDeps extends SendDeps {
  clock: Clock;
}

const MAX_BATCH_EVENTS = 100;
/** Requests to one destination at the same time. */
const MAX_CONCURRENT_REQUESTS = 4;
/** Attempts for an event that the receiver fails at while it accepts others. */
export const MAX_ATTEMPTS = 10;

/** Why the sending of a window stopped. */
export interface Stop {
  why: string;
  status: number | null;
  retryAfterMs: number;
  isGone: boolean;
}

/** Null: everything was dealt with. */
export async function sendWindow(
  deps: SendWindowDeps,
  destination: Destination,
  window: QueueWindow,
  signal: AbortSignal,
): Promise<Stop | null> {
  if (destination.inputs.batch) return sendBatches(deps, destination, window, signal);
  let stop: Stop | null = null;
  const lanes = window.lanes.filter((lane) => lane.length > 0);
  const worker = async (): Promise<void> => {
    for (let lane = lanes.shift(); lane && !signal.aborted; lane = lanes.shift()) {
      const failed = await sendLane(deps, destination, window, lane, signal);
      stop ??= failed;
      // A receiver that is gone, or that wants to be left alone, is not asked for the rest.
      if (failed && (failed.isGone || failed.retryAfterMs > 0 || failed.status === null)) return;
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  return stop;
}

async function sendLane(
  deps: SendWindowDeps,
  destination: Destination,
  window: QueueWindow,
  lane: WaitingEvent[],
  signal: AbortSignal,
): Promise<Stop | null> {
  for (let event = lane[0]; event && !signal.aborted; event = lane[0]) {
    const began = deps.clock.now();
    const start = performance.now();
    const item = {
      id: webhookId(event.uuid, destination.id),
      body: eventBody(destination.inputs.body, event.values),
    };
    const outcome = await sendEvent(deps, destination, item, { now: began, signal });
    if (signal.aborted && outcome.kind !== 'delivered') return null;
    const line = { at: began, eventUuid: event.uuid, event: event.event, events: 1, ms: elapsed(start) };
    const stop = recordOutcome(window, [event], outcome, line);
    if (stop !== null) return stop;
    lane.shift();
  }
  return null;
}

/** One at a time, so that they arrive in order. */
async function sendBatches(
  deps: SendWindowDeps,
  destination: Destination,
  window: QueueWindow,
  signal: AbortSignal,
): Promise<Stop | null> {
  const waiting = window.lanes[0] ?? [];
  while (waiting.length > 0 && !signal.aborted) {
    const events = waiting.slice(0, MAX_BATCH_EVENTS);
    const items = events.map(({ uuid, values }) => ({
      id: webhookId(uuid, destination.id),
      body: eventBody(destination.inputs.body, values),
    }));
    const began = deps.clock.now();
    const start = performance.now();
    const at = { now: began, signal };
    const [only] = items;
    const outcome =
      items.length === 1 && only
        ? await sendEvent(deps, destination, only, at)
        : await sendBatch(deps, destination, items, at);
    if (signal.aborted && outcome.kind !== 'delivered') return null;
    const first = events[0];
    const line = { at: began, eventUuid: first?.uuid ?? null, event: first?.event ?? null, events: items.length };
    const stop = recordOutcome(window, events, outcome, { ...line, ms: elapsed(start) });
    if (stop !== null) return stop;
    waiting.splice(0, events.length);
  }
  return null;
}

/** Null: the events are dealt with, one way or the other. */
function recordOutcome(
  window: QueueWindow,
  events: readonly WaitingEvent[],
  outcome: PostOutcome,
  line: Omit<LogLine, 'id' | 'state' | 'status' | 'error'>,
): Stop | null {
  const add = (state: SentState, status: number | null, error: string | null): void => {
    countOutcome(window, state, events.length);
    window.lines.push({ ...line, state, status, error });
  };
  if (outcome.kind === 'delivered') {
    add('sent', 200, null);
    window.delivered += events.length;
    return null;
  }
  const { why, status } = outcome;
  const retryAfterMs = outcome.kind === 'failed' ? outcome.retryAfterMs : 0;
  const isGone = outcome.kind === 'refused' && (status === null || status === 404 || status === 410);
  if (outcome.kind === 'refused' && !isGone) {
    add('failed', status, why);
    return null;
  }
  const key = events[0]?.uuid ?? '';
  const { delivered } = window;
  const known = window.failures.get(key) ?? { attempts: 0, deliveredBefore: delivered };
  known.attempts++;
  window.failures.set(key, known);
  if (!isGone && known.attempts >= MAX_ATTEMPTS && delivered > known.deliveredBefore) {
    add('failed', status, `${why}, ${known.attempts} times, while other events were accepted`);
    return null;
  }
  add('retried', status, why);
  return { why, status, retryAfterMs, isGone };
}

const elapsed = (start: number): number => Math.round(performance.now() - start);
