/**
 * Filters on the person behind an event. Persons live on the relational shelf, events elsewhere: so the persons are
 * looked through first, page by page, by the engine of events itself (it knows how filters read JSON, and its patterns
 * cannot run away), and the question about events then names those it is about.
 *
 * What an event without a person answers is what an empty person answers. Only persons who answer otherwise are
 * listed, which keeps the list short for `is_not` and its like too. The work is bounded by `MOST_PERSONS`.
 */
import { Failure } from '../../core/errors.ts';
import type { PropertyFilter } from '../../core/filters/property-filter.ts';
import type { InsightSql } from '../../stores/events/dialect.ts';
import type { EventPersonStore } from '../../stores/metadata/event-records.ts';
import { ownPropertySql } from './filter-sql.ts';
import type { Asking } from './valid-patterns.ts';

const PAGE = 5000;
const MOST_PERSONS = 200_000;

export interface PersonSet {
  /** What holds for everybody who is not listed. */
  usual: boolean;
  /** UUIDs of the others. */
  others: string[];
}

export type PersonSets = ReadonlyMap<PropertyFilter, PersonSet>;

export async function findPersons(
  deps: Asking & { persons: EventPersonStore },
  projectId: number,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
): Promise<PersonSets> {
  return findOwners(deps, filters, patterns, personPages(deps.persons, projectId));
}

async function* personPages(persons: EventPersonStore, projectId: number): AsyncGenerator<Owner[]> {
  for (let after = 0; ; ) {
    const page = await persons.after(projectId, after, PAGE);
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Who is asked about: persons, or the groups of one kind. */
export interface Owner {
  uuid: string;
  /** JSON text. */
  properties: string;
}

export async function findOwners(
  deps: Asking,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
  pages: AsyncIterable<readonly Owner[]>,
): Promise<PersonSets> {
  if (filters.length === 0) return new Map();
  const [nobody] = await answers(deps, filters, patterns, [{ uuid: '', properties: '{}' }]);
  const sets = filters.map((_, i): PersonSet => ({ usual: nobody?.answers[i] === true, others: [] }));
  let looked = 0;
  for await (const page of pages) {
    looked += page.length;
    if (looked > MOST_PERSONS) throw tooMany();
    for (const { uuid, answers: given } of await answers(deps, filters, patterns, page)) {
      for (const [i, set] of sets.entries()) if (given[i] !== set.usual) set.others.push(uuid);
    }
  }
  return new Map(filters.map((filter, i) => [filter, sets[i] ?? { usual: false, others: [] }]));
}

const tooMany = (): Failure =>
  new Failure('invalid', `Such filters reach up to ${MOST_PERSONS} persons or groups; this project has more.`, {
    attr: 'properties',
  });

async function answers(
  { events, dialect }: Asking,
  filters: readonly PropertyFilter[],
  patterns: ReadonlySet<string>,
  persons: readonly Owner[],
): Promise<{ uuid: string; answers: boolean[] }[]> {
  if (persons.length === 0) return [];
  const sql = dialect.begin();
  const columns = filters.map(
    (filter, i) => `cast(${ownPropertySql(sql, filter, { json: 'x.properties', patterns })} as boolean) as a${i}`,
  );
  const rows = sql.rows(['uuid', 'properties'], persons);
  const found = await events.query(`select x.uuid as uuid, ${columns.join(', ')} from ${rows} x`, sql.values);
  return found.map((row) => ({ uuid: String(row['uuid']), answers: filters.map((_, i) => row[`a${i}`] === true) }));
}

/** The condition on an event's person; undefined for a filter that is about something else. */
export function personSql(
  sql: InsightSql,
  sets: PersonSets,
  filter: PropertyFilter,
  column: string,
): string | undefined {
  const set = sets.get(filter);
  if (set === undefined) return undefined;
  if (set.others.length === 0) return String(set.usual);
  const rows = sql.rows(
    ['uuid'],
    set.others.map((uuid) => ({ uuid })),
  );
  return `(${column} ${set.usual ? 'not in' : 'in'} (select cast(r.uuid as UUID) from ${rows} r))`;
}
