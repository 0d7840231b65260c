/** How the events of a series become a number. */
export type SeriesMath =
  | { kind: 'total' }
  /** Distinct persons. */
  | { kind: 'dau' }
  /** Distinct persons of the 7 or 30 days that end with the interval. */
  | { kind: 'active'; days: 7 | 30 }
  | { kind: 'unique_session' }
  | { kind: 'unique_group'; group: number }
  /** A statistic of a numeric property; of `$session_duration`: of the lengths of the sessions, in seconds. */
  | { kind: 'property'; statistic: Statistic; property: string }
  /** A statistic of the number of events that each active person, or group, did. */
  | { kind: 'per_actor'; statistic: Exclude<Statistic, 'sum'>; group: number | null };

export const STATISTICS = ['sum', 'avg', 'min', 'max', 'median', 'p90', 'p95', 'p99'] as const;
export type Statistic = (typeof STATISTICS)[number];

/** What it is called on the wire. */
export function mathName(math: SeriesMath): string {
  switch (math.kind) {
    case 'active':
      return math.days === 7 ? 'weekly_active' : 'monthly_active';
    case 'property':
      return math.statistic;
    case 'per_actor':
      return `${math.statistic}_count_per_actor`;
    case 'total':
    case 'dau':
    case 'unique_session':
    case 'unique_group':
      return math.kind;
  }
}
