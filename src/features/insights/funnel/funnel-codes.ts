/**
 * Texts that a funnel asks about, as numbers: the values of its breakdown and the keys of groups. Which number means
 * which text is settled before the events are read, and the statement is told; so it does not matter what is written
 * meanwhile.
 */

import type { PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import { invalid } from '../../../core/errors.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import { valueJoinSql, valueSql } from '../../../query/property-value.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { FunnelQuestion } from '../rules/question.ts';
import { funnelSourceSql } from './funnel-source-sql.ts';
import { attributionStep, largestValues, OTHER } from './rules/split-by-value.ts';

/** The code of no value at all; those of the values that are shown follow, and then those that are only told apart. */
const NO_VALUE_CODE = 0;
const OTHER_CODES = 2 ** 50;

/** So many values are ranked; what comes behind them is far from being among the largest. */
const MAX_RANKED_VALUES = 10_000;

export class FunnelCodes {
  readonly #division: FunnelBreakdown | null;
  readonly #kept: readonly (readonly string[])[];
  /** Null where the actors are persons. */
  readonly #groups: readonly string[] | null;
  readonly #groupColumn: string;
  /** Whether actors are asked for their names. */
  readonly hasNames: boolean;
  /** Whether it matters which of two events of one instant is first. */
  readonly needsTieOrder: boolean;
  readonly none: readonly string[];
  /** The values that are shown, as JSON. */
  readonly kept: ReadonlySet<string>;

  private constructor(
    { actor, attribution }: FunnelQuestion,
    division: FunnelBreakdown | null,
    kept: readonly string[][],
    groups: readonly string[] | null,
    hasNames: boolean,
  ) {
    this.#division = division;
    this.#kept = kept;
    this.#groups = groups;
    this.#groupColumn = actorColumn(actor);
    this.hasNames = hasNames;
    this.needsTieOrder = this.hasValues && (attribution.kind === 'first_touch' || attribution.kind === 'last_touch');
    this.none = (division?.keys ?? []).map(() => '');
    this.kept = new Set(kept.map((value) => JSON.stringify(value)));
  }

  static async find(
    query: EventQuery,
    question: FunnelQuestion,
    { hasNames }: { hasNames: boolean },
  ): Promise<FunnelCodes> {
    const { breakdown, actor, range } = question;
    const division = breakdown?.kind === 'property' ? new FunnelBreakdown(breakdown, range) : null;
    const groups = actor.kind === 'group' ? await findGroups(query, question) : null;
    const kept = division === null ? [] : await findLargestValues(query, question, division);
    return new FunnelCodes(question, division, kept, groups, hasNames);
  }

  get hasValues(): boolean {
    return this.#division !== null;
  }

  groupAt(actor: number): string {
    return this.#groups?.[actor] ?? '';
  }

  /** What a code stands for; those that are only told apart are themselves. */
  valueAt(code: number): readonly string[] {
    if (code === NO_VALUE_CODE) return this.none;
    return this.#kept[code - 1] ?? [`${code}`, ...OTHER, ...this.none];
  }

  /** What has to be joined to events for the numbers. */
  joins(statement: EventStatement): string {
    const { sql } = statement;
    return [...this.#groupJoin(sql), this.#division?.joins(statement) ?? '', ...this.#valueJoin(sql)].join(' ');
  }

  #groupJoin(sql: SqlBuilder): string[] {
    if (this.#groups === null) return [];
    const rows = this.#groups.map((key, number) => ({ key, number: String(number) }));
    return [`join ${sql.rows(['key', 'number'], rows)} g on g.key = ${this.#groupColumn}`];
  }

  #valueJoin(sql: SqlBuilder): string[] {
    if (this.#division === null || this.#kept.length === 0) return [];
    const columns = this.#division.keys.map((_, i) => `v${i}`);
    const rows = this.#kept.map((value, i) => ({
      code: String(i + 1),
      ...Object.fromEntries(value.map((text, at) => [`v${at}`, text])),
    })) as Record<string, string>[];
    const own = this.#division.values(sql);
    const isSame = columns.map((column, i) => `k.${column} = ${own[i]}`).join(' and ');
    return [`left join ${sql.rows(['code', ...columns], rows)} k on ${isSame}`];
  }

  valueSql(sql: SqlBuilder): string {
    if (this.#division === null) return sql.toDouble(sql.integer(NO_VALUE_CODE));
    const own = this.#division.values(sql);
    const isNone = own.map((value) => `${value} = ''`).join(' and ');
    const whole = `concat(${own.map((value) => `length(${value}), ':', ${value}`).join(', ')})`;
    const apart = `${sql.integer(this.#kept.length + 1)} + ${sql.hashSlot(whole, OTHER_CODES)}`;
    const known = this.#kept.length === 0 ? '' : 'when k.code is not null then cast(k.code as bigint)';
    return sql.toDouble(`(case when ${isNone} then ${NO_VALUE_CODE} ${known} else ${apart} end)`);
  }
}

/** What a funnel is divided by, as columns of a statement. */
class FunnelBreakdown {
  readonly #breakdown: PropertyBreakdown;
  readonly #range: Range;

  constructor(breakdown: PropertyBreakdown, range: Range) {
    this.#breakdown = breakdown;
    this.#range = range;
  }

  get keys(): readonly string[] {
    return this.#breakdown.keys;
  }

  get limit(): number {
    return this.#breakdown.limit;
  }

  values(sql: SqlBuilder): string[] {
    return this.keys.map((key) => `(${valueSql(sql, this.#breakdown, key)})`);
  }

  joins(statement: EventStatement): string {
    return this.keys.map((key) => valueJoinSql(statement, this.#breakdown, key, this.#range)).join(' ');
  }
}

async function findGroups(query: EventQuery, question: FunnelQuestion): Promise<string[]> {
  const statement = query.begin();
  const rows = await statement.query(
    `select distinct ${actorColumn(question.actor)} as name ${funnelSourceSql(statement, question)}`,
  );
  return rows.map((row) => String(row['name']));
}

/** The values with the most events of the steps that tell them, or among those of all steps. */
async function findLargestValues(
  query: EventQuery,
  question: FunnelQuestion,
  division: FunnelBreakdown,
): Promise<string[][]> {
  const statement = query.begin();
  const { sql } = statement;
  const telling = attributionStep(question);
  const steps = telling === null ? question.steps : question.steps.slice(telling, telling + 1);
  const columns = division.keys.map((_, i) => `v${i}`);
  const values = division.values(sql).map((value, i) => `${value} as v${i}`);
  const isTelling = steps.map((step) => statement.isOf(step)).join(' or ');
  const rows = await statement.query(
    `select ${values.join(', ')}, count(*) as n
    ${funnelSourceSql(statement, question, division.joins(statement))} and (${isTelling})
    group by ${columns.map((_, i) => i + 1).join(', ')}
    order by n desc, ${columns.map((column) => `${column} desc`).join(', ')}
    limit ${sql.integer(MAX_RANKED_VALUES)}`,
  );
  const counts = rows.map((row) => [columns.map((name) => String(row[name])), Number(row['n'])] as const);
  return [...largestValues(counts, division.limit)].map((key) => JSON.parse(key) as string[]);
}

export function checkBreakdown({ breakdown, actor }: FunnelQuestion): void {
  if (breakdown?.kind === 'cohort' && actor.kind === 'group')
    throw invalid('breakdown_type', 'Groups are in no cohorts: divide a funnel of groups by a property.');
}
