/**
 * The statements that read exposures apart from other events, of persons. The exposed are found once: temporary tables
 * hold them for the statements that follow.
 */
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { eventNamesOf } from '../../../query/filters/action-step-sql.ts';
import { keysOfPersonsSql } from '../../../query/persons-sql.ts';
import type { SqlStatement } from '../../../stores/events/event-changes.ts';
import type { ActorBatch } from '../../insights/shared/actor-rows.ts';
import { batchSql } from '../../insights/shared/batch-sql.ts';
import { codeSql, fromExposures, fromExposuresOf } from './exposures-sql.ts';
import type { MetricPlan } from './metric-plan.ts';
import type { Reading } from './reading.ts';
import { type ChosenRows, rowsSql, uniqueNumberSql } from './rows-sql.ts';

/** Whose rows are read. */
export type ReadPersons = { kind: 'exposed'; batch: ActorBatch } | { kind: 'listed'; ids: readonly string[] };

/** Temporary tables: every exposure; a `number` for each person, `actor`; the same by the ids that events have. */
const [EXPOSURES, NUMBERS, KEYS] = ['read_exposures', 'read_numbers', 'read_keys'];

/**
 * Of a few persons. The engine makes a Bloom filter only of keys that come through a filter, and asks it before it joins
 * the events of everybody: a quarter less. This filter leaves nobody out, which the engine cannot know.
 */
const FEW_KEYS = `(select k.* from ${KEYS} k where k.number % 2 >= 0)`;

/** The last one returns every exposure: `actor`, `at` in ms UTC, its `code`, a number for its `distinct_id`, `id`. */
export function exposuresStatements(query: EventQuery, reading: Reading, persons: ReadPersons): SqlStatement[] {
  const keys = statementOf(query, KEYS, ({ sql }) => keysOfPersonsSql(sql, query.projectId, NUMBERS));
  if (persons.kind === 'listed')
    return [
      statementOf(query, NUMBERS, (statement) => listedSql(statement, persons.ids)),
      keys,
      statementOf(query, null, (statement) => {
        const columns = `p.number as actor, ${exposureColumns(statement, reading)}`;
        return `select ${columns} ${fromExposuresOf(statement, reading.exposure, FEW_KEYS)}`;
      }),
    ];
  return [
    statementOf(query, EXPOSURES, (statement) => exposedSql(statement, reading, persons.batch)),
    statementOf(
      query,
      NUMBERS,
      () => `select x.id as actor, cast(row_number() over () - 1 as integer) as number
        from (select distinct id from ${EXPOSURES}) x`,
    ),
    keys,
    statementOf(
      query,
      null,
      () => `select n.number as actor, x.* from ${EXPOSURES} x join ${NUMBERS} n on n.actor = x.id`,
    ),
  ];
}

/**
 * The other events of these persons, after the tables above. Those with numbers are read apart if their names tell them
 * from others: then the others have no such columns. `slices`: conditions that split all events.
 */
export function eventsStatements(
  query: EventQuery,
  reading: Reading,
  persons: ReadPersons,
  slices: readonly string[],
): EventsStatement[] {
  const { plan, range } = reading;
  if (plan.entities.length === 0) return [];
  const onlyEntities = !plan.readsAll && persons.kind === 'exposed';
  const keys = persons.kind === 'listed' ? FEW_KEYS : KEYS;
  const read = (chosen: Pick<ChosenRows, 'names' | 'hasNumbers'>, slice: string): EventsStatement => ({
    ...statementOf(query, null, (statement) => {
      const from = `${statement.fromKeys(range, keys)} and ${slice}`;
      return rowsSql(statement, reading, from, { ...chosen, onlyEntities, hasExposures: false });
    }),
    hasNumbers: chosen.hasNumbers,
  });
  // Of a few persons nothing else is left out: engines would ask it of everybody's events, before they look whose they are.
  const names = plan.readsAll ? null : eventNamesOf(plan.entities);
  const parts = persons.kind === 'listed' ? null : namesByNumbers(plan);
  if (parts === null) return slices.map((slice) => read({ names, hasNumbers: true }, slice));
  return [
    ...slices.map((slice) => read({ names: parts.without, hasNumbers: false }, slice)),
    // Mostly few.
    read({ names: parts.with, hasNumbers: true }, 'true'),
  ];
}

type EventsStatement = SqlStatement & Pick<ChosenRows, 'hasNumbers'>;

/** The names of events whose numbers are read, and those of others; null if every event may have one, or none has. */
function namesByNumbers({ entities, numbers, readsAll }: MetricPlan): { with: string[]; without: string[] } | null {
  const own = eventNamesOf([...numbers.values()].flatMap((source) => source.entities));
  const all = eventNamesOf(entities);
  if (readsAll || own === null || all === null) return null;
  const others = all.filter((name) => !own.includes(name));
  return own.length === 0 || others.length === 0 ? null : { with: own, without: others };
}

/** `table`: the name of the temporary table that its rows make; null: they are returned. */
function statementOf(
  query: EventQuery,
  table: string | null,
  write: (statement: EventStatement) => string,
): SqlStatement {
  const statement = query.begin();
  const text = write(statement);
  return { sql: text, values: statement.sql.values, ...(table === null ? {} : { table }) };
}

const exposureColumns = (statement: EventStatement, { exposure, split, hasTies }: Reading): string =>
  [
    'p.person_id as id',
    `${statement.sql.toDouble(statement.sql.ms('e.timestamp'))} as at`,
    `cast(${codeSql(statement, exposure, split)} as integer) as code`,
    `${uniqueNumberSql(statement.sql, 'e.distinct_id')} as distinct_id`,
    ...(hasTies ? ['e.uuid as uuid'] : []),
  ].join(', ');

const exposedSql = (statement: EventStatement, reading: Reading, batch: ActorBatch): string =>
  `select ${exposureColumns(statement, reading)} ${fromExposures(statement, reading.exposure)}
    and p.person_id is not null and ${batchSql(statement.sql, reading.exposure.actor, batch)}`;

/** Those of the persons who exist, with their place in the list as `number`. */
function listedSql({ sql, projectId }: EventStatement, ids: readonly string[]): string {
  const rows = ids.map((id, number) => ({ id, number: String(number) }));
  return `select q.person_id as actor, cast(r.number as integer) as number
    from ${sql.rows(['id', 'number'], rows)} r
    join person_rows q on q.project_id = ${sql.param(projectId)} and q.person_id = cast(r.id as uuid)`;
}
