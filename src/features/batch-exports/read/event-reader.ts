/**
 * The events that a run has: those received in its interval, by arrival and id, and then those that came too late for an
 * earlier file. Events of the interval that are late themselves are left out: they are in a later file.
 */
import type { Filter } from '../../../core/filters/property-filter.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import type { EventMatcher } from '../../../query/filters/action-step-sql.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import { readDestinationFilters } from '../../destinations/read-destination-filters.ts';
import type { LateRow } from '../store/batch-export-store.ts';
import type { ModelReader, ReaderDeps, ReadRun, Slice, SliceLimits } from './model-reader.ts';

/** Where a slice ends: behind an event of the interval, or behind a row of late events. */
type EventPosition = { createdAt: number; uuid: string } | { late: number };

/** Reads which events are in which slice, and what they are. */
class EventReader implements ModelReader {
  readonly #deps: ReaderDeps;
  readonly #read: ReadRun;
  readonly #query: EventQuery;
  readonly #entities: readonly EventMatcher[];
  readonly #filter: Filter;
  /** Ids of events that are in another file. */
  readonly #elsewhere: readonly string[];
  readonly #lateRows: number;

  constructor(
    deps: ReaderDeps,
    read: ReadRun,
    found: {
      query: EventQuery;
      entities: readonly EventMatcher[];
      filter: Filter;
      late: readonly LateRow[];
    },
  ) {
    this.#deps = deps;
    this.#read = read;
    this.#query = found.query;
    this.#entities = found.entities;
    this.#filter = found.filter;
    this.#elsewhere = found.late.flatMap(({ uuids }) => uuids);
    this.#lateRows = found.late.length;
  }

  /** An event may have become visible before the note that it is late: both are there when this is asked. */
  async isOutdated({ batchExports }: ReaderDeps['metadata']): Promise<boolean> {
    const { run } = this.#read;
    const range = { from: run.startAt, until: run.endAt };
    return (await batchExports.countLateReceived(run.exportId, range)) !== this.#lateRows;
  }

  async next(position: string | null, limits: SliceLimits): Promise<Slice | null> {
    const after = position === null ? null : (JSON.parse(position) as EventPosition);
    if (after === null || !('late' in after)) {
      const slice = await this.#nextReceived(after, limits);
      if (slice) return slice;
    }
    return this.#nextLate(after !== null && 'late' in after ? after.late : 0, limits);
  }

  async #nextReceived(after: { createdAt: number; uuid: string } | null, limits: SliceLimits): Promise<Slice | null> {
    const statement = this.#query.begin();
    const { sql } = statement;
    const order = `created_at, ${sql.idOrder('uuid')}`;
    const [row] = await statement.query(
      `with page as (
        select e.created_at as created_at, e.uuid as uuid, ${sql.eventBytes('e')} as bytes
        ${statement.from()}
        where ${this.#received(statement, after).join(' and ')}
        order by e.created_at, ${sql.idOrder('e.uuid')}
        limit ${sql.param(limits.rows)}
      ), summed as (
        select created_at, uuid, row_number() over (order by ${order}) as place,
          sum(bytes) over (order by ${order} rows between unbounded preceding and current row) as total
        from page
      )
      select created_at, uuid, total from summed
      where total <= ${sql.param(limits.bytes)} or place = 1
      order by place desc
      limit 1`,
    );
    if (row === undefined) return null;
    const last = { createdAt: Number(row['created_at']), uuid: String(row['uuid']) };
    const conditions = (on: EventStatement) => [...this.#received(on, after), upTo(on, last)];
    return this.#slice({ ...last } satisfies EventPosition, Number(row['total']), conditions);
  }

  async #nextLate(after: number, limits: SliceLimits): Promise<Slice | null> {
    const { run } = this.#read;
    const rows = await this.#deps.metadata.batchExports.listLate(run.id, run.exportId, after, limits.rows);
    const last = rows.at(-1);
    if (last === undefined) return null;
    const conditions = (on: EventStatement) => [...this.#matching(on), isOneOfLate(on, rows)];
    return this.#slice({ late: last.id }, 0, conditions);
  }

  #slice(position: EventPosition, bytes: number, conditions: (statement: EventStatement) => string[]): Slice {
    return {
      position: JSON.stringify(position),
      bytes,
      lines: () => this.#lines(conditions),
      statement: () => this.#fileStatement(conditions),
    };
  }

  #matching(statement: EventStatement): string[] {
    const isOne = this.#entities.map((entity) => statement.isOf(entity));
    return [
      statement.inProject(),
      statement.matches(this.#filter),
      ...(isOne.length === 0 ? [] : [`(${isOne.join(' or ')})`]),
    ];
  }

  #received(statement: EventStatement, after: { createdAt: number; uuid: string } | null): string[] {
    const { sql } = statement;
    const { startAt, endAt } = this.#read.run;
    return [
      ...this.#matching(statement),
      `e.created_at >= ${sql.time(Math.max(startAt, after?.createdAt ?? startAt))}`,
      `e.created_at < ${sql.time(endAt)}`,
      ...(after === null ? [] : [`not ${upTo(statement, after)}`]),
      ...(this.#elsewhere.length === 0 ? [] : [`e.uuid not in ${uuidsSql(statement, this.#elsewhere)}`]),
    ];
  }

  async #lines(conditions: (statement: EventStatement) => string[]): Promise<string[]> {
    const statement = this.#query.begin();
    const { sql } = statement;
    const rows = await statement.query(
      `select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at,
        ${sql.wholeText('e', 'properties')} as properties, ${sql.wholeText('e', 'elements_chain')} as elements_chain
      ${statement.from()}
      where ${conditions(statement).join(' and ')}
      order by e.created_at, ${sql.idOrder('e.uuid')}`,
    );
    const uuids = [...new Set(rows.map((row) => String(row['person_id'])))];
    const found = await this.#deps.metadata.eventPersons.listByUuids(this.#read.project.id, uuids);
    const persons = new Map(found.map(({ uuid, properties }) => [uuid, stringifyExact(properties)]));
    return rows.map((row) => lineOf(row, persons.get(String(row['person_id'])) ?? '{}'));
  }

  #fileStatement(conditions: (statement: EventStatement) => string[]) {
    const statement = this.#query.begin();
    const { sql } = statement;
    const text = `select e.uuid as uuid, e.event as event, e.distinct_id as distinct_id, e.person_id as person_id,
        ${sql.timestamp('e.timestamp')} as timestamp, ${sql.timestamp('e.created_at')} as created_at,
        ${sql.wholeText('e', 'properties')} as properties,
        case when o.person_id = e.person_id then o.properties else '{}' end as person_properties,
        ${sql.wholeText('e', 'elements_chain')} as elements_chain
      ${statement.from()}
      left join person_rows o on o.project_id = e.project_id and o.person_id = e.person_id
      where ${conditions(statement).join(' and ')}
      order by ${sql.ms('e.created_at')}, ${sql.idOrder('e.uuid')}`;
    return { sql: text, values: sql.values };
  }
}

/** The filters are read when the run begins. */
export async function eventReader(deps: ReaderDeps, read: ReadRun): Promise<ModelReader> {
  const { project, batchExport, run } = read;
  const { entities, filter } = await readDestinationFilters(
    deps.metadata,
    project,
    batchExport.filters,
    deps.clock.now(),
  );
  await deps.mirrorPersons(project.id);
  const query = await prepareEventQuery(deps, project.id, {
    filters: [filter],
    entities,
    timezone: project.timezone,
    // The person of now, as other lists of events show it.
    hasActors: true,
    persons: 'listed',
  });
  const range = { from: run.startAt, until: run.endAt };
  const late = await deps.metadata.batchExports.listLateReceived(run.exportId, range);
  return new EventReader(deps, read, { query, entities, filter, late });
}

function upTo({ sql }: EventStatement, { createdAt, uuid }: { createdAt: number; uuid: string }): string {
  const id = sql.idOrder(`cast(${sql.param(uuid)} as UUID)`);
  const time = sql.time(createdAt);
  return `(e.created_at < ${time} or (e.created_at = ${time} and ${sql.idOrder('e.uuid')} <= ${id}))`;
}

const uuidsSql = ({ sql }: EventStatement, uuids: readonly string[]): string =>
  `(select cast(u.uuid as UUID) from ${sql.rows(
    ['uuid'],
    uuids.map((uuid) => ({ uuid })),
  )} u)`;

function isOneOfLate(statement: EventStatement, rows: readonly LateRow[]): string {
  const { sql } = statement;
  const first = Math.min(...rows.map(({ firstTimestamp }) => firstTimestamp));
  const last = Math.max(...rows.map(({ lastTimestamp }) => lastTimestamp));
  return `e.timestamp >= ${sql.time(first)} and e.timestamp <= ${sql.time(last)} and e.uuid in ${uuidsSql(
    statement,
    rows.flatMap(({ uuids }) => uuids),
  )}`;
}

/** Properties are JSON text already. */
function lineOf(row: SqlRow, personProperties: string): string {
  const rest = {
    uuid: row['uuid'],
    event: row['event'],
    distinct_id: row['distinct_id'],
    person_id: row['person_id'],
    timestamp: new Date(Number(row['timestamp'])).toISOString(),
    created_at: new Date(Number(row['created_at'])).toISOString(),
    elements_chain: row['elements_chain'],
  };
  const text = JSON.stringify(rest).slice(0, -1);
  return `${text},"properties":${row['properties']},"person_properties":${personProperties}}`;
}
