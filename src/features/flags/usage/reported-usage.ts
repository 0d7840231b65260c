/** Evaluations that SDKs report with `$feature_flag_called`: those that evaluate by themselves report nothing else. */
import type { EventStoreDeps } from '../../../query/query-deps.ts';
import type { ValueUse } from '../rules/removal.ts';
import type { UsageInterval } from './usage-report.ts';
import { libSource } from './usage-source.ts';

interface ReportedUse {
  start: number;
  source: string;
  value: string;
  count: number;
}

interface Range {
  from: number;
  /** Excluded. */
  to: number;
}

export async function reportedUsage(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  key: string,
  { from, to }: Range,
  interval: UsageInterval,
): Promise<ReportedUse[]> {
  const sql = dialect.newStatement('e');
  const [value, lib, version] = ['$feature_flag_response', '$lib', '$lib_version'].map((name) => sql.property(name));
  const rows = await events.query(
    `select ${sql.bucket('e.timestamp', interval, 'UTC')} as start, ${value} as value, ${lib} as lib,
      ${version} as version, count(*) as n
    from event_rows e
    where e.project_id = ${sql.param(projectId)} and e.event = ${sql.param('$feature_flag_called')}
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to)}
      and ${sql.property('$feature_flag')} = ${sql.param(key)}
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    sql.values,
  );
  return rows.map((row) => ({
    start: Number(row['start']),
    value: textOf(row['value']) ?? 'false',
    source: libSource(textOf(row['lib']), textOf(row['version'])),
    count: Number(row['n']),
  }));
}

/** Key → when it was last reported, by value. */
export async function lastReportedUses(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  { from, to }: Range,
  before: number,
): Promise<Map<string, ValueUse[]>> {
  const sql = dialect.newStatement('e');
  const rows = await events.query(
    `select ${sql.property('$feature_flag')} as flag, ${sql.property('$feature_flag_response')} as value,
      max(e.timestamp) as last, max(case when e.timestamp <= ${sql.time(before)} then e.timestamp end) as last_before
    from event_rows e
    where e.project_id = ${sql.param(projectId)} and e.event = ${sql.param('$feature_flag_called')}
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to)}
    group by 1, 2`,
    sql.values,
  );
  const uses = new Map<string, ValueUse[]>();
  for (const row of rows) {
    const key = textOf(row['flag']) ?? '';
    const lastBefore = row['last_before'] === null ? null : Number(row['last_before']);
    const use = { value: textOf(row['value']) ?? 'false', last: Number(row['last']), lastBefore };
    uses.set(key, [...(uses.get(key) ?? []), use]);
  }
  return uses;
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
