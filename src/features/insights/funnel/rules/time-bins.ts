/** From how many seconds on, and how many of the times lie there. */
type TimeBin = readonly [from: number, count: number];

const MAX_BINS = 60;
const MINUTE = 60;

/** A histogram of times in seconds; without a number of bins as many as suit the number of times. */
export function timeBins(times: readonly number[], wanted: number | null): TimeBin[] {
  if (times.length === 0) return [];
  // One by one: there may be more times than a call takes arguments.
  const low = Math.floor(times.reduce((least, time) => Math.min(least, time)));
  const high = Math.ceil(times.reduce((most, time) => Math.max(most, time)));
  const count = wanted ?? Math.min(Math.max(Math.ceil(cubeRoot(times.length)), 1), MAX_BINS);
  const width = Math.ceil((high - low) / count) || MINUTE;
  const counts = new Array<number>(count + 1).fill(0);
  for (const time of times) {
    const at = Math.floor((time - low) / width);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((number, at) => [low + at * width, number]);
}

/** Of 8 exactly 2, where floating point may say a hair more. */
const cubeRoot = (value: number): number => Math.round(Math.cbrt(value) * 1e9) / 1e9;
