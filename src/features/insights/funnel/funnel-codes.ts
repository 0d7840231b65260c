/**
 * Texts that a funnel asks about, as numbers: the values of its breakdown and the keys of groups. Which number means
 * which text is settled before the events are read, and the statement is told; so it does not matter what is written
 * meanwhile.
 */

import type { PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import { invalid } from '../../../core/errors.ts';
import type { Range } from '../../../core/time/range.ts';
import { type AskedDeps, type AskedEvents, actorColumn } from '../../../query/asked-events.ts';
import { findGroupTexts, type GroupTexts, groupTextsSql } from '../../../query/group-property-values.ts';
import { valueJoinSql, valueSql } from '../../../query/property-value.ts';
import type { InsightSql } from '../../../stores/events/dialect.ts';
import type { FunnelQuestion } from '../rules/question.ts';
import { sourceSql } from './funnel-source-sql.ts';
import { largestValues, OTHER, tellingStep } from './rules/split-by-value.ts';

/** The code of no value at all; those of the values that are shown follow, and then those that are only told apart. */
const NONE = 0;
const TOLD_APART = 2 ** 50;

/** So many values are ranked; what comes behind them is far from being among the largest. */
const RANKED = 10_000;

export class FunnelCodes {
  readonly #division: Division | null;
  readonly #kept: readonly (readonly string[])[];
  /** Null where the actors are persons. */
  readonly #groups: readonly string[] | null;
  readonly #groupColumn: string;
  /** Whether actors are asked for their names. */
  readonly hasNames: boolean;
  /** Whether it matters which of two events of one instant is first. */
  readonly mindsTies: boolean;
  readonly none: readonly string[];
  /** The values that are shown, as JSON. */
  readonly kept: ReadonlySet<string>;

  private constructor(
    { actor, attribution }: FunnelQuestion,
    division: Division | null,
    kept: readonly string[][],
    groups: readonly string[] | null,
    hasNames: boolean,
  ) {
    this.#division = division;
    this.#kept = kept;
    this.#groups = groups;
    this.#groupColumn = actorColumn(actor);
    this.hasNames = hasNames;
    this.mindsTies = this.hasValues && (attribution.kind === 'first_touch' || attribution.kind === 'last_touch');
    this.none = (division?.keys ?? []).map(() => '');
    this.kept = new Set(kept.map((value) => JSON.stringify(value)));
  }

  static async find(
    deps: AskedDeps,
    asked: AskedEvents,
    question: FunnelQuestion,
    { hasNames }: { hasNames: boolean },
  ): Promise<FunnelCodes> {
    const { breakdown, actor } = question;
    const division = breakdown?.kind === 'property' ? await Division.find(deps, asked, question, breakdown) : null;
    const groups = actor.kind === 'group' ? await findGroups(deps, asked, question) : null;
    const kept = division === null ? [] : await findLargest(deps, asked, question, division);
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
    if (code === NONE) return this.none;
    return this.#kept[code - 1] ?? [`${code}`, ...OTHER, ...this.none];
  }

  /** What has to be joined to events for the numbers. */
  joins(sql: InsightSql): string {
    return [...this.#groupJoin(sql), this.#division?.joins(sql) ?? '', ...this.#valueJoin(sql)].join(' ');
  }

  #groupJoin(sql: InsightSql): string[] {
    if (this.#groups === null) return [];
    const rows = this.#groups.map((key, number) => ({ key, number: String(number) }));
    return [`join ${sql.rows(['key', 'number'], rows)} g on g.key = ${this.#groupColumn}`];
  }

  #valueJoin(sql: InsightSql): string[] {
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

  valueSql(sql: InsightSql): string {
    if (this.#division === null) return sql.toDouble(sql.integer(NONE));
    const own = this.#division.values(sql);
    const isNone = own.map((value) => `${value} = ''`).join(' and ');
    const whole = `concat(${own.map((value) => `length(${value}), ':', ${value}`).join(', ')})`;
    const apart = `${sql.integer(this.#kept.length + 1)} + ${sql.slice(whole, TOLD_APART)}`;
    const known = this.#kept.length === 0 ? '' : 'when k.code is not null then cast(k.code as bigint)';
    return sql.toDouble(`(case when ${isNone} then ${NONE} ${known} else ${apart} end)`);
  }
}

/** What a funnel is divided by, as columns of a statement. */
class Division {
  readonly #breakdown: PropertyBreakdown;
  readonly #texts: GroupTexts;
  readonly #projectId: number;
  readonly #range: Range;

  private constructor(breakdown: PropertyBreakdown, texts: GroupTexts, projectId: number, range: Range) {
    this.#breakdown = breakdown;
    this.#texts = texts;
    this.#projectId = projectId;
    this.#range = range;
  }

  static async find(
    { metadata }: AskedDeps,
    { projectId }: AskedEvents,
    { range }: FunnelQuestion,
    breakdown: PropertyBreakdown,
  ): Promise<Division> {
    const texts = breakdown.owner === 'group' ? await findGroupTexts(metadata.groups, projectId, breakdown) : new Map();
    return new Division(breakdown, texts, projectId, range);
  }

  get keys(): readonly string[] {
    return this.#breakdown.keys;
  }

  get limit(): number {
    return this.#breakdown.limit;
  }

  values(sql: InsightSql): string[] {
    return this.keys.map((key) => `(${valueSql(sql, this.#breakdown, key)})`);
  }

  joins(sql: InsightSql): string {
    const groupTexts = (key: string): string => groupTextsSql(sql, this.#texts, key);
    const scope = { sql, projectId: this.#projectId, groupTexts };
    return this.keys.map((key) => valueJoinSql(scope, this.#breakdown, key, this.#range)).join(' ');
  }
}

async function findGroups(deps: AskedDeps, asked: AskedEvents, question: FunnelQuestion): Promise<string[]> {
  const sql = deps.dialect.begin('e');
  const rows = await deps.events.query(
    `select distinct ${actorColumn(question.actor)} as name ${sourceSql(sql, asked, question)}`,
    sql.values,
  );
  return rows.map((row) => String(row['name']));
}

/** The values with the most events of the steps that tell them, or among those of all steps. */
async function findLargest(
  deps: AskedDeps,
  asked: AskedEvents,
  question: FunnelQuestion,
  division: Division,
): Promise<string[][]> {
  const sql = deps.dialect.begin('e');
  const telling = tellingStep(question);
  const steps = telling === null ? question.steps : question.steps.slice(telling, telling + 1);
  const columns = division.keys.map((_, i) => `v${i}`);
  const values = division.values(sql).map((value, i) => `${value} as v${i}`);
  const isTelling = steps.map((step) => asked.isOf(sql, step)).join(' or ');
  const rows = await deps.events.query(
    `select ${values.join(', ')}, count(*) as n
    ${sourceSql(sql, asked, question, division.joins(sql))} and (${isTelling})
    group by ${columns.map((_, i) => i + 1).join(', ')}
    order by n desc, ${columns.map((column) => `${column} desc`).join(', ')}
    limit ${sql.integer(RANKED)}`,
    sql.values,
  );
  const counts = rows.map((row) => [columns.map((name) => String(row[name])), Number(row['n'])] as const);
  return [...largestValues(counts, division.limit)].map((key) => JSON.parse(key) as string[]);
}

export function checkBreakdown({ breakdown, actor }: FunnelQuestion): void {
  if (breakdown?.kind === 'cohort' && actor.kind === 'group')
    throw invalid('breakdown_type', 'Groups are in no cohorts: divide a funnel of groups by a property.');
}
