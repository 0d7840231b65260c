/** Recent values of a property, as suggestions for filters. */
import { stringifyExact } from '../../core/json/exact-json.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { EventStoreDeps } from '../../query/query-deps.ts';

const LOOKBACK_MS = 7 * DAY_MS;
const MAX_VALUES = 10;

interface ValuesQuestion {
  projectId: number;
  key: string;
  /** Part of the value, case-insensitive. */
  part: string | undefined;
  /** Only of these events, if any. */
  events: readonly string[];
  now: number;
}

/** The most frequent first. Lists are split into their items. */
export async function eventValues({ events, dialect }: EventStoreDeps, question: ValuesQuestion): Promise<string[]> {
  const sql = dialect.newStatement('e');
  const text = sql.property(question.key);
  const conditions = [
    `e.project_id = ${sql.param(question.projectId)}`,
    `e.timestamp >= ${sql.time(question.now - LOOKBACK_MS)}`,
  ];
  if (question.events.length > 0) {
    conditions.push(`e.event in (${question.events.map((name) => sql.param(name)).join(', ')})`);
  }
  if (question.part !== undefined) conditions.push(sql.containsIgnoringCase(text, question.part));
  const rows = await events.query(
    `select ${text} as value, count(*) as n
    from event_rows e
    where ${conditions.join(' and ')} and ${text} <> ''
    group by 1
    order by n desc, value
    limit ${sql.param(MAX_VALUES)}`,
    sql.values,
  );
  return [...new Set(rows.flatMap((row) => itemsOf(String(row['value']))))].slice(0, MAX_VALUES);
}

function itemsOf(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const list = parseJson(text);
    return Array.isArray(list) ? list.map((one) => (typeof one === 'string' ? one : stringifyExact(one))) : [text];
  } catch {
    return [text];
  }
}
