/** Counts of evaluations as series over time, and what they say about the flag. Buckets are those of UTC. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';

export const USAGE_INTERVALS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type UsageInterval = keyof typeof USAGE_INTERVALS;

/** `server`: evaluated here. `sdk`: evaluated by an SDK, which reported it. */
type UsageOrigin = 'server' | 'sdk';

export interface Use {
  start: number;
  source: string;
  value: string;
  origin: UsageOrigin;
  count: number;
}

interface UsageSeries {
  label: string;
  days: string[];
  data: number[];
}

/** The most frequent first. */
export function usageSeries(
  uses: readonly Use[],
  by: 'value' | 'source' | 'origin',
  { from, to, interval }: { from: number; to: number; interval: UsageInterval },
): UsageSeries[] {
  const width = USAGE_INTERVALS[interval];
  const first = Math.floor(from / width);
  const length = Math.max(0, Math.ceil(to / width) - first);
  const days = Array.from({ length }, (_, index) => labelOf((first + index) * width, interval));
  const series = new Map<string, number[]>();
  for (const use of uses) {
    const data = series.get(use[by]) ?? Array.from({ length }, () => 0);
    series.set(use[by], data);
    const at = Math.floor(use.start / width) - first;
    if (at >= 0 && at < length) data[at] = (data[at] ?? 0) + use.count;
  }
  const sumOf = (data: readonly number[]): number => data.reduce((sum, count) => sum + count, 0);
  return [...series]
    .map(([label, data]) => ({ label, days, data }))
    .sort((a, b) => sumOf(b.data) - sumOf(a.data) || (a.label < b.label ? -1 : 1));
}

const labelOf = (start: number, interval: UsageInterval): string => {
  const text = new Date(start).toISOString();
  return interval === 'day' ? text.slice(0, 10) : text;
};

interface SourceUse {
  name: string;
  versions: { version: string | null; last_seen_at: number; count: number }[];
}

/** By SDK, the most frequent version first. */
export function usageSources(uses: readonly Use[]): SourceUse[] {
  const found = new Map<string, Map<string | null, { last_seen_at: number; count: number }>>();
  for (const { source, start, count } of uses) {
    const [name = source, version = null] = source.split('/');
    const versions = found.get(name) ?? new Map<string | null, { last_seen_at: number; count: number }>();
    found.set(name, versions);
    const before = versions.get(version) ?? { last_seen_at: 0, count: 0 };
    versions.set(version, { last_seen_at: Math.max(before.last_seen_at, start), count: before.count + count });
  }
  return [...found].map(([name, versions]) => ({
    name,
    versions: [...versions].map(([version, rest]) => ({ version, ...rest })).sort((a, b) => b.count - a.count),
  }));
}
