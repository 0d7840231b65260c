import { expect, it } from 'vitest';
import { serializeEvents } from './serialize-events.ts';

it.each([1, 2, 500, 501, 1000, 1001, 2499])('writes %i events as one list', async (count) => {
  const events = Array.from({ length: count }, (_, n) => ({ event: `e ${n}`, properties: { ü: '],[', n } }));
  expect((await serializeEvents(events)).toString()).toBe(JSON.stringify(events));
});
