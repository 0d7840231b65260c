/** How pages are read, from the rows that the store keeps. */
import type { Range } from '../../../core/time/range.ts';
import type { CodeGroups } from '../rules/count-groups.ts';
import type { PageEngagement } from '../rules/web-answers.ts';
import { fromReadRows } from './kept-rows.ts';
import { readNumbered } from './kept-site.ts';
import { type SessionLookups, withNumberedSessionsSql } from './sessions-sql.ts';
import { isBySession, type WebQuery } from './web-scope.ts';

type Reads = Omit<PageEngagement, 'exits'>;

/** Sums of how pages were read, by code. */
export interface KeptReads {
  codes: Int32Array;
  /** How often a page of the code was told about. */
  rows: Int32Array;
  values: Record<keyof Reads, { sums: Float64Array; counts: Int32Array }>;
}

export async function sumKeptReads(query: WebQuery, range: Range, lookups: SessionLookups): Promise<KeptReads> {
  const hasRules = query.question.settings.channel_rules.length > 0;
  const table = await readNumbered(query, (scope) => {
    const isFiltered = isBySession(scope);
    const sessions = isFiltered ? withNumberedSessionsSql(scope, range, { codes: [], hasRules }, lookups) : '';
    const ofSessions = isFiltered ? 'and w.session in (select number from x)' : '';
    const columns = (['seconds', 'share'] as const).map(
      (name) => `coalesce(sum(w.${name}), 0) as ${name}, cast(count(w.${name}) as integer) as ${name}_count`,
    );
    return `${sessions} select w.page as page, cast(count(*) as integer) as reads, ${columns.join(', ')}
      ${fromReadRows(scope, range)} ${ofSessions} group by w.page`;
  });
  const values = (name: string) => ({ sums: table.doubles(name), counts: table.integers(`${name}_count`) });
  return {
    codes: table.integers('page'),
    rows: table.integers('reads'),
    values: { timeOnPage: values('seconds'), scrollDepth: values('share') },
  };
}

/** By group. */
export function averageReads({ codes, values }: KeptReads, { groupOf, size }: CodeGroups): (group: number) => Reads {
  const averageOf = ({ sums, counts }: KeptReads['values']['timeOnPage']): ((group: number) => number | null) => {
    const [total, count] = [new Float64Array(size), new Int32Array(size)];
    codes.forEach((code, row) => {
      const group = groupOf === null ? code : (groupOf[code] as number);
      total[group] = (total[group] as number) + (sums[row] as number);
      count[group] = (count[group] as number) + (counts[row] as number);
    });
    return (group) => (count[group] ? (total[group] as number) / count[group] : null);
  };
  const [timeOnPage, scrollDepth] = [averageOf(values.timeOnPage), averageOf(values.scrollDepth)];
  return (group) => ({ timeOnPage: timeOnPage(group), scrollDepth: scrollDepth(group) });
}
