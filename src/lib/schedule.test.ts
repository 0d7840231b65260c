import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Schedule, startSchedule } from './schedule.ts';

let now = 0;
let schedule: Schedule;
let run: ReturnType<typeof vi.fn<() => Promise<void>>>;
const errors: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  now = 0;
  errors.length = 0;
  run = vi.fn(async () => undefined);
  const onError = (error: unknown): void => void errors.push(error);
  schedule = startSchedule({ clock: { now: () => now }, initialDelayMs: 5000, intervalMs: 60_000, run, onError });
});
afterEach(async () => {
  await schedule.stop();
  vi.useRealTimers();
});

const at = async (time: number): Promise<number> => {
  now = time;
  await vi.advanceTimersByTimeAsync(2000);
  return run.mock.calls.length;
};

it('runs shortly after the start, then again and again, by the clock', async () => {
  expect(await at(4999)).toBe(0);
  expect(await at(5000)).toBe(1);
  expect(await at(64_999)).toBe(1);
  expect(await at(65_000)).toBe(2);
  expect(await at(1_000_000)).toBe(3);
});

it('runs at once after the clock was set back, and then as before', async () => {
  expect(await at(1_000_000)).toBe(1);
  expect(await at(1000)).toBe(2);
  expect(await at(60_999)).toBe(2);
  expect(await at(61_000)).toBe(3);
});

it('runs again at once where the clock was moved during a run, and then as before', async () => {
  let finish = (): void => undefined;
  run.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
  await at(5000);
  expect(await at(500_000)).toBe(1);
  finish();
  expect(await at(500_000)).toBe(2);
  expect(await at(559_999)).toBe(2);
  expect(await at(560_000)).toBe(3);
});

it('reports a failure and runs again next time', async () => {
  run.mockRejectedValueOnce(new Error('away'));
  expect(await at(5000)).toBe(1);
  expect(errors).toEqual([new Error('away')]);
  expect(await at(65_000)).toBe(2);
});

it('never runs twice at a time, and stops when the run has ended', async () => {
  let finish = (): void => undefined;
  run.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
  await at(5000);
  expect(await at(500_000)).toBe(1);
  let stopped = false;
  const stopping = schedule.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect(stopped).toBe(false);
  finish();
  await stopping;
  expect(await at(9_000_000)).toBe(1);
});
