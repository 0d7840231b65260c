import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '../../core/errors.ts';
import type { ExpressionFilter } from '../../core/filters/property-filter.ts';
import { IdSet } from '../../lib/id-set.ts';
import type { PersonProperties } from '../../stores/metadata/event-records.ts';
import { validPatterns } from '../filters/valid-patterns.ts';
import type { QueryDeps } from '../query-deps.ts';
import { propertySql } from './event-field-sql.ts';
import { conditionSql, type ExpressionScope } from './expression-sql.ts';

const PAGE_SIZE = 5000;
const MAX_PERSONS = 200_000;

/**
 * The ids of the persons for whom each expression is true, by its text. The event store evaluates them, so that they mean
 * the same as in insights.
 */
export async function findPersonsByExpression(
  deps: QueryDeps,
  projectId: number,
  expressions: readonly ExpressionFilter[],
): Promise<ReadonlyMap<string, IdSet>> {
  const found = new Map(expressions.map(({ text }) => [text, new IdSet()]));
  if (found.size === 0) return found;
  const patterns = await validPatterns(deps, { kind: 'and', filters: expressions });
  for (let after = 0, count = 0; ; ) {
    const page = await deps.metadata.eventPersons.listAfter(projectId, after, PAGE_SIZE);
    count += page.length;
    if (count > MAX_PERSONS) throw tooMany();
    if (page.length > 0) await matchPage(deps, expressions, patterns, page, found);
    if (page.length < PAGE_SIZE) return found;
    after = page.at(-1)?.id ?? after;
    await nextTurn();
  }
}

const tooMany = () =>
  invalid('properties', `Expressions support up to ${MAX_PERSONS} persons here; this project has more.`);

async function matchPage(
  { events, dialect, clock }: QueryDeps,
  expressions: readonly ExpressionFilter[],
  patterns: ReadonlySet<string>,
  page: readonly PersonProperties[],
  found: ReadonlyMap<string, IdSet>,
): Promise<void> {
  const sql = dialect.newStatement();
  const scope: ExpressionScope = {
    now: clock.now(),
    timezone: 'UTC',
    patterns,
    column: () => 'x.uuid',
    property: (property) => propertySql(sql, property, 'x.properties'),
  };
  const columns = expressions.map(
    ({ condition }, i) => `cast(${conditionSql(sql, condition, scope)} as boolean) as a${i}`,
  );
  const persons = page.map(({ id, uuid, properties }) => ({ id: String(id), uuid, properties }));
  const rows = sql.rows(['id', 'uuid', 'properties'], persons);
  for (const row of await events.query(`select x.id as id, ${columns.join(', ')} from ${rows} x`, sql.values)) {
    for (const [i, { text }] of expressions.entries())
      if (row[`a${i}`] === true) found.get(text)?.add(Number(row['id']));
  }
}
