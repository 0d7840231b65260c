/**
 * Filters on the person of an event. Persons are in the metadata store, so they are matched first, page by page, by the
 * event store (which evaluates the same SQL, and its patterns in linear time), and the query then lists their ids.
 *
 * An event without a person is treated as one of a person without properties. Only persons with another result are
 * listed, which keeps the list short for negative operators too.
 */
import { Failure } from '../../core/errors.ts';
import type { PropertyFilter } from '../../core/filters/property-filter.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { EventPersonStore } from '../../stores/metadata/event-records.ts';
import type { EventStoreDeps } from '../query-deps.ts';
import { ownPropertySql } from './filter-sql.ts';

const PAGE_SIZE = 5000;
const MAX_PERSONS = 200_000;

interface OwnerMatch {
  /** The result for all who are not listed. */
  byDefault: boolean;
  /** Ids of those with the opposite result. */
  exceptions: string[];
}

export type OwnerMatches = ReadonlyMap<PropertyFilter, OwnerMatch>;

export async function matchPersons(
  deps: EventStoreDeps & { metadata: { eventPersons: EventPersonStore } },
  projectId: number,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
): Promise<OwnerMatches> {
  return matchOwners(deps, filters, patterns, personPages(deps.metadata.eventPersons, projectId));
}

async function* personPages(persons: EventPersonStore, projectId: number): AsyncGenerator<OwnerRow[]> {
  for (let after = 0; ; ) {
    const page = await persons.listAfter(projectId, after, PAGE_SIZE);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.id ?? after;
  }
}

/** A person, or a group of one type. */
export interface OwnerRow {
  uuid: string;
  /** JSON text. */
  properties: string;
}

export async function matchOwners(
  deps: EventStoreDeps,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
  pages: AsyncIterable<readonly OwnerRow[]>,
): Promise<OwnerMatches> {
  if (filters.length === 0) return new Map();
  const [empty] = await evaluateFilters(deps, filters, patterns, [{ uuid: '', properties: '{}' }]);
  const sets = filters.map((_, i): OwnerMatch => ({ byDefault: empty?.results[i] === true, exceptions: [] }));
  let count = 0;
  for await (const page of pages) {
    count += page.length;
    if (count > MAX_PERSONS) throw tooMany();
    for (const { uuid, results } of await evaluateFilters(deps, filters, patterns, page)) {
      for (const [i, set] of sets.entries()) if (results[i] !== set.byDefault) set.exceptions.push(uuid);
    }
  }
  return new Map(filters.map((filter, i) => [filter, sets[i] ?? { byDefault: false, exceptions: [] }]));
}

const tooMany = (): Failure =>
  new Failure('invalid', `Such filters support up to ${MAX_PERSONS} persons or groups; this project has more.`, {
    attr: 'properties',
  });

async function evaluateFilters(
  { events, dialect }: EventStoreDeps,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
  persons: readonly OwnerRow[],
): Promise<{ uuid: string; results: boolean[] }[]> {
  if (persons.length === 0) return [];
  const sql = dialect.newStatement();
  const columns = filters.map(
    (filter, i) => `cast(${ownPropertySql(sql, filter, { json: 'x.properties', patterns })} as boolean) as a${i}`,
  );
  const rows = sql.rows(['uuid', 'properties'], persons);
  const found = await events.query(`select x.uuid as uuid, ${columns.join(', ')} from ${rows} x`, sql.values);
  return found.map((row) => ({ uuid: String(row['uuid']), results: filters.map((_, i) => row[`a${i}`] === true) }));
}

/** The condition on an event's person; undefined for other filters. */
export function personSql(
  sql: SqlBuilder,
  sets: OwnerMatches,
  filter: PropertyFilter,
  column: string,
): string | undefined {
  const set = sets.get(filter);
  if (set === undefined) return undefined;
  if (set.exceptions.length === 0) return String(set.byDefault);
  const rows = sql.rows(
    ['uuid'],
    set.exceptions.map((uuid) => ({ uuid })),
  );
  return `(${column} ${set.byDefault ? 'not in' : 'in'} (select cast(r.uuid as UUID) from ${rows} r))`;
}
