import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import { pauseAfter } from './chunk-pacing.ts';

const anEntry = (events: number): LogEntry => ({
  seq: 1,
  projectId: 1,
  receivedAt: 0,
  events,
  context: '{}',
  seed: Buffer.alloc(10),
  payload: Buffer.from('[]'),
});

describe('the pause after a chunk', () => {
  it.each([
    ['few events: the rest of the interval', [3, 4], 10, 40],
    ['few events that took long: none', [3, 4], 60, -10],
    ['a load of small requests: twice the time that it took', [100, 100], 40, 80],
    ['the same, quickly processed: the rest of the interval', [100, 100], 5, 45],
    ['the same on a very slow machine: a limit', [100, 100], 500, 200],
    ['a backlog: none', [400, 100], 40, 0],
  ])('%s', (_, events, tookMs, pause) => {
    expect(pauseAfter(events.map(anEntry), tookMs)).toBe(pause);
  });
});
