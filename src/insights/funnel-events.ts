/**
 * Asks the engine for the events that a funnel looks at, reduced to what it looks at and gathered by actor. Actors come
 * in slices, so that the memory used depends on a slice and not on how much happened.
 */
import type { PropertyBreakdown } from '../core/insights/questions/breakdown.ts';
import type { FunnelQuestion } from '../core/insights/questions/question.ts';
import { type InsightSql, PERSON_PROPERTIES } from '../stores/dialect.ts';
import type { SqlRow } from '../stores/event-store.ts';
import { type AskedEvents, actorColumn } from './asked-events.ts';
import type { Deed } from './funnel-walk.ts';
import { measured, orderedText, readMeasured, readOrdered } from './ordered-texts.ts';
import { slicesOf } from './sliced.ts';
import type { Asking } from './valid-patterns.ts';

export interface ActorDeeds {
  actor: string;
  /** In the order of time. */
  deeds: readonly Deed[];
}

export async function* funnelEvents(
  deps: Asking,
  asked: AskedEvents,
  question: FunnelQuestion,
): AsyncGenerator<ActorDeeds> {
  const keys = valueKeys(question);
  const bits = question.steps.length + question.exclusions.length;
  for await (const { at: slice, count } of slicesOf(await countEvents(deps, asked, question))) {
    const sql = deps.dialect.begin('e');
    const values = keys.map((_, i) => measured(`d.v${i}`));
    const deed = orderedText('d.at', 'd.uuid', [bitsOf(question), ...values]);
    const rows = await deps.events.query(
      `select d.actor as actor, ${sql.jsonList(deed)} as deeds
      from (${deedsSql(sql, asked, question)}) d
      where ${sql.slice('d.actor', count)} = ${sql.param(slice)}
      group by d.actor
      having ${startsOf(question)}`,
      sql.values,
    );
    for (const row of rows) yield { actor: String(row['actor']), deeds: readDeeds(row, bits, keys.length) };
  }
}

/** The properties by which the events themselves are divided. */
export function valueKeys({ breakdown }: FunnelQuestion): readonly string[] {
  return breakdown?.kind === 'property' ? breakdown.keys : [];
}

async function countEvents(deps: Asking, asked: AskedEvents, question: FunnelQuestion): Promise<number> {
  const sql = deps.dialect.begin('e');
  const [row] = await deps.events.query(`select count(*) as n from (${deedsSql(sql, asked, question)}) d`, sql.values);
  return Number(row?.['n'] ?? 0);
}

/** A row for each event that the funnel looks at: who, when, which steps and exclusions, which values. */
export function deedsSql(sql: InsightSql, asked: AskedEvents, question: FunnelQuestion): string {
  const { steps, exclusions, actor, range, filter, order, breakdown } = question;
  const entities = [...steps, ...exclusions.map(({ entity }) => entity)];
  const bits = entities.map((entity, i) => `, ${asked.isOf(sql, entity)} as s${i}`).join('');
  const values = valueKeys(question).map(
    (key, i) => `, ${valueSql(sql, breakdown as PropertyBreakdown, key)} as v${i}`,
  );
  const isLookedAt = order === 'strict' ? 'true' : entities.map((_, i) => `t.s${i}`).join(' or ');
  return `select t.* from (
      select ${actorColumn(actor)} as actor, ${sql.millis('e.timestamp')} as at, e.uuid as uuid${bits}${values.join('')}
      ${asked.source(sql, actor, range)} and ${asked.holds(sql, filter)}
    ) t
    where ${isLookedAt}`;
}

/** A property as a breakdown reads it: its text, `null` where it is null, empty where it is missing. */
function valueSql(sql: InsightSql, { owner }: PropertyBreakdown, key: string): string {
  return sql.text(key, owner === 'person' ? PERSON_PROPERTIES : undefined);
}

const bitsOf = ({ steps, exclusions }: FunnelQuestion): string =>
  [...steps, ...exclusions].map((_, i) => `case when d.s${i} then '1' else '0' end`).join(', ');

/** Who never began is not worth a row. */
function startsOf({ steps, order }: FunnelQuestion): string {
  const starts = order === 'unordered' ? steps.map((_, i) => `d.s${i}`) : ['d.s0'];
  return `max(case when ${starts.join(' or ')} then 1 else 0 end) = 1`;
}

const NO_VALUES: readonly string[] = [];

function readDeeds(row: SqlRow, bits: number, keys: number): Deed[] {
  return readOrdered(row['deeds']).map(({ at, rest }) => ({
    at,
    bits: rest.slice(0, bits),
    values: keys === 0 ? NO_VALUES : readMeasured(rest.slice(bits), keys),
  }));
}
