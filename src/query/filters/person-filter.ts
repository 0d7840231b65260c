/**
 * Filters on the person behind an event. Persons live on the relational shelf, events elsewhere: so the persons are
 * looked through first, page by page, by the engine of events itself (it knows how filters read JSON, and its patterns
 * cannot run away), and the question about events then names those it is about.
 *
 * What an event without a person answers is what an empty person answers. Only persons who answer otherwise are
 * listed, which keeps the list short for `is_not` and its like too. The work is bounded by `MAX_PERSONS`.
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
  /** What holds for everybody who is not listed. */
  byDefault: boolean;
  /** UUIDs of the others. */
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
    yield page;
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Who is asked about: persons, or the groups of one kind. */
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
  const [nobody] = await evaluateFilters(deps, filters, patterns, [{ uuid: '', properties: '{}' }]);
  const sets = filters.map((_, i): OwnerMatch => ({ byDefault: nobody?.answers[i] === true, exceptions: [] }));
  let looked = 0;
  for await (const page of pages) {
    looked += page.length;
    if (looked > MAX_PERSONS) throw tooMany();
    for (const { uuid, answers: given } of await evaluateFilters(deps, filters, patterns, page)) {
      for (const [i, set] of sets.entries()) if (given[i] !== set.byDefault) set.exceptions.push(uuid);
    }
  }
  return new Map(filters.map((filter, i) => [filter, sets[i] ?? { byDefault: false, exceptions: [] }]));
}

const tooMany = (): Failure =>
  new Failure('invalid', `Such filters reach up to ${MAX_PERSONS} persons or groups; this project has more.`, {
    attr: 'properties',
  });

async function evaluateFilters(
  { events, dialect }: EventStoreDeps,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
  persons: readonly OwnerRow[],
): Promise<{ uuid: string; answers: boolean[] }[]> {
  if (persons.length === 0) return [];
  const sql = dialect.newStatement();
  const columns = filters.map(
    (filter, i) => `cast(${ownPropertySql(sql, filter, { json: 'x.properties', patterns })} as boolean) as a${i}`,
  );
  const rows = sql.rows(['uuid', 'properties'], persons);
  const found = await events.query(`select x.uuid as uuid, ${columns.join(', ')} from ${rows} x`, sql.values);
  return found.map((row) => ({ uuid: String(row['uuid']), answers: filters.map((_, i) => row[`a${i}`] === true) }));
}

/** The condition on an event's person; undefined for a filter that is about something else. */
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
