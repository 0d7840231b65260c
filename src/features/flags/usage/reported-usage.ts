/** Evaluations that SDKs report with `$feature_flag_called`: those that evaluate by themselves report nothing else. */
import type { EventStoreDeps } from '../../../query/query-deps.ts';
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

/** Key → when it was last reported. */
export async function lastReportedUses(
  { events, dialect }: EventStoreDeps,
  projectId: number,
  { from, to }: Range,
): Promise<Map<string, number>> {
  const sql = dialect.newStatement('e');
  const rows = await events.query(
    `select ${sql.property('$feature_flag')} as flag, max(e.timestamp) as last
    from event_rows e
    where e.project_id = ${sql.param(projectId)} and e.event = ${sql.param('$feature_flag_called')}
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(to)}
    group by 1`,
    sql.values,
  );
  return new Map(rows.map((row) => [String(row['flag'] ?? ''), Number(row['last'])]));
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));
