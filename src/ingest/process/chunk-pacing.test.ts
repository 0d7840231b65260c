import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import { pauseAfter } from './chunk-pacing.ts';

const anEntry = (events: number, bytes = 2): LogEntry => ({
  seq: 1,
  projectId: 1,
  receivedAt: 0,
  events,
  context: '{}',
  seed: Buffer.alloc(10),
  payload: Buffer.alloc(bytes),
});

describe('the pause after a chunk', () => {
  it.each([
    ['few events: the rest of the interval', [3, 4], 10, 40],
    ['few events that took long: none', [3, 4], 60, -10],
    ['a load: twice the time that it took', [100, 100], 40, 80],
    ['the same, quickly processed: the rest of the interval', [100, 100], 5, 45],
    ['the same on a very slow machine: a limit', [100, 100], 500, 200],
    ['nearly half of a full chunk: the same', [2000, 499], 40, 80],
    ['a backlog: none', [2000, 500], 40, 0],
  ])('%s', (_, events, tookMs, pause) => {
    const entries = events.map((count) => anEntry(count));
    expect(pauseAfter(entries, tookMs)).toBe(pause);
  });

  it('ends when half of a full chunk has come together at the rate of the last one', () => {
    const pauseAt = (eventsPerMs: number, tookMs: number): number =>
      pauseAfter([anEntry(1000)], tookMs, 1000 / eventsPerMs);
    expect(pauseAt(25, 60)).toBe(40);
    expect(pauseAt(50, 60)).toBe(-10);
    expect(pauseAt(8, 60)).toBe(120);
    expect(pauseAt(8, 150)).toBe(162.5);
  });

  it('is none either after a backlog of a few large events', () => {
    const [large, small] = [4 * 1024 * 1024, 1024 * 1024];
    expect(pauseAfter([anEntry(60, large)], 40)).toBe(0);
    expect(pauseAfter([anEntry(60, small), anEntry(60, small)], 40)).toBe(80);
  });
});
