/**
 * Numbers for the texts of a funnel: the values of its breakdown and the keys of groups. They are assigned before the
 * events are read, and given to the statement, so events stored meanwhile do not matter.
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

/** Codes: 0 is no value, then come the shown values, then the hashes of all others. */
const NO_VALUE_CODE = 0;
const OTHER_CODES = 2 ** 50;

const MAX_RANKED_VALUES = 10_000;

export class FunnelCodes {
  readonly #breakdown: FunnelBreakdown | null;
  readonly #shown: readonly (readonly string[])[];
  /** Null where the actors are persons. */
  readonly #groups: readonly string[] | null;
  readonly #groupColumn: string;
  /** Whether the names of actors are needed. */
  readonly hasNames: boolean;
  /** Whether the order of events at the same time matters. */
  readonly needsTieOrder: boolean;
  readonly none: readonly string[];
  /** The values that are shown, as JSON. */
  readonly shown: ReadonlySet<string>;

  private constructor(
    { actor, attribution }: FunnelQuestion,
    breakdown: FunnelBreakdown | null,
    shown: readonly string[][],
    groups: readonly string[] | null,
    hasNames: boolean,
  ) {
    this.#breakdown = breakdown;
    this.#shown = shown;
    this.#groups = groups;
    this.#groupColumn = actorColumn(actor);
    this.hasNames = hasNames;
    this.needsTieOrder = this.hasValues && (attribution.kind === 'first_touch' || attribution.kind === 'last_touch');
    this.none = (breakdown?.keys ?? []).map(() => '');
    this.shown = new Set(shown.map((value) => JSON.stringify(value)));
  }

  static async find(
    query: EventQuery,
    question: FunnelQuestion,
    { hasNames }: { hasNames: boolean },
  ): Promise<FunnelCodes> {
    const { breakdown: by, actor, range } = question;
    const breakdown = by?.kind === 'property' ? new FunnelBreakdown(by, range) : null;
    const groups = actor.kind === 'group' ? await findGroups(query, question) : null;
    const shown = breakdown === null ? [] : await findLargestValues(query, question, breakdown);
    return new FunnelCodes(question, breakdown, shown, groups, hasNames);
  }

  get hasValues(): boolean {
    return this.#breakdown !== null;
  }

  groupAt(actor: number): string {
    return this.#groups?.[actor] ?? '';
  }

  /** The value of a code; those of other values only differ. */
  valueAt(code: number): readonly string[] {
    if (code === NO_VALUE_CODE) return this.none;
    return this.#shown[code - 1] ?? [`${code}`, ...OTHER, ...this.none];
  }

  /** The joins for the codes. */
  joins(statement: EventStatement): string {
    const { sql } = statement;
    return [...this.#groupJoin(sql), this.#breakdown?.joins(statement) ?? '', ...this.#valueJoin(statement)].join(' ');
  }

  #groupJoin(sql: SqlBuilder): string[] {
    if (this.#groups === null) return [];
    const rows = this.#groups.map((key, number) => ({ key, number: String(number) }));
    return [`join ${sql.rows(['key', 'number'], rows)} g on g.key = ${this.#groupColumn}`];
  }

  #valueJoin(statement: EventStatement): string[] {
    if (this.#breakdown === null || this.#shown.length === 0) return [];
    const columns = this.#breakdown.keys.map((_, i) => `v${i}`);
    const rows = this.#shown.map((value, i) => ({
      code: String(i + 1),
      ...Object.fromEntries(value.map((text, at) => [`v${at}`, text])),
    })) as Record<string, string>[];
    const own = this.#breakdown.values(statement);
    const isSame = columns.map((column, i) => `k.${column} = ${own[i]}`).join(' and ');
    return [`left join ${statement.sql.rows(['code', ...columns], rows)} k on ${isSame}`];
  }

  valueSql(statement: EventStatement): string {
    const { sql } = statement;
    if (this.#breakdown === null) return sql.toDouble(sql.integer(NO_VALUE_CODE));
    const own = this.#breakdown.values(statement);
    const isNone = own.map((value) => `${value} = ''`).join(' and ');
    const joined = `concat(${own.map((value) => `length(${value}), ':', ${value}`).join(', ')})`;
    const other = `${sql.integer(this.#shown.length + 1)} + ${sql.hashSlot(joined, OTHER_CODES)}`;
    const known = this.#shown.length === 0 ? '' : 'when k.code is not null then cast(k.code as bigint)';
    return sql.toDouble(`(case when ${isNone} then ${NO_VALUE_CODE} ${known} else ${other} end)`);
  }
}

/** The breakdown as columns of a statement. */
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

  values(statement: EventStatement): string[] {
    return this.keys.map((key) => `(${valueSql(statement, this.#breakdown, key)})`);
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

/** The values with the most events of the attribution step, or of all steps. */
async function findLargestValues(
  query: EventQuery,
  question: FunnelQuestion,
  breakdown: FunnelBreakdown,
): Promise<string[][]> {
  const statement = query.begin();
  const { sql } = statement;
  const attributed = attributionStep(question);
  const steps = attributed === null ? question.steps : question.steps.slice(attributed, attributed + 1);
  const columns = breakdown.keys.map((_, i) => `v${i}`);
  const values = breakdown.values(statement).map((value, i) => `${value} as v${i}`);
  const isStep = steps.map((step) => statement.isOf(step)).join(' or ');
  const rows = await statement.query(
    `select ${values.join(', ')}, count(*) as n
    ${funnelSourceSql(statement, question, breakdown.joins(statement))} and (${isStep})
    group by ${columns.map((_, i) => i + 1).join(', ')}
    order by n desc, ${columns.map((column) => `${column} desc`).join(', ')}
    limit ${sql.integer(MAX_RANKED_VALUES)}`,
  );
  const counts = rows.map((row) => [columns.map((name) => String(row[name])), Number(row['n'])] as const);
  return [...largestValues(counts, breakdown.limit)].map((key) => JSON.parse(key) as string[]);
}

export function checkBreakdown({ breakdown, actor }: FunnelQuestion): void {
  if (breakdown?.kind === 'cohort' && actor.kind === 'group')
    throw invalid('breakdown_type', 'Cohorts have no groups: break down a funnel of groups by a property.');
}
