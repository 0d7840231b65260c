/** Lookups of one person with distinct IDs and properties, in bare SQLite, through the store and over HTTP. */
import Database from 'better-sqlite3';
import type { PersonStore, StoredPerson } from '../../src/stores/metadata/persons.ts';
import { personUuid } from './person-folder.ts';

interface Lookup {
  name: string;
  /** Under `/api/projects/1/persons/`. */
  path(n: number): string;
  /** The row of the person in bare SQLite. */
  row: string;
  key(n: number): string;
  inStore(persons: PersonStore, key: string): Promise<StoredPerson | null | undefined>;
}

export const LOOKUPS: readonly Lookup[] = [
  {
    name: 'one person by uuid',
    path: (n) => `${personUuid(n)}/`,
    row: 'select * from persons where project_id = 1 and uuid = ?',
    key: personUuid,
    inStore: (persons, uuid) => persons.get(1, { uuid }),
  },
  {
    name: 'by distinct id',
    path: (n) => `?distinct_id=device-${n}`,
    row: `select p.* from person_distinct_ids d join persons p on p.id = d.person_id
      where d.project_id = 1 and d.distinct_id = ?`,
    key: (n) => `device-${n}`,
    inStore: (persons, id) => persons.getByDistinctId(1, id),
  },
  {
    name: 'by email',
    path: (n) => `?email=User${n}@example.org`,
    row: 'select * from persons where project_id = 1 and email = ?',
    key: (n) => `"User${n}@example.org"`,
    inStore: async (persons, email) =>
      (await persons.listByIds(1, await persons.listIdsByEmails(1, [email], { limit: 100, offset: 0 })))[0],
  },
];

const ROUNDS = 2000;

export const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;

/** Looks up a different person each time. */
export async function timed(rounds: number, persons: number, work: (n: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const n = 10 + ((round * 7919) % (persons - 10));
    const before = performance.now();
    await work(n);
    times.push(performance.now() - before);
  }
  return median(times);
}

/** Milliseconds to read the rows of the person and of the distinct IDs. */
export async function bareLookup(path: string, persons: number, { row, key }: Lookup): Promise<number> {
  const db = new Database(path, { readonly: true });
  const person = db.prepare<[string], { id: number }>(row);
  const ids = db.prepare('select distinct_id from person_distinct_ids where person_id = ? order by id limit 1000');
  const time = await timed(ROUNDS, persons, (n) => ids.all(person.get(key(n))?.id));
  db.close();
  return time;
}

/** Milliseconds for the same through the store, with everything decoded. */
export const storeLookup = (store: PersonStore, persons: number, { inStore, key }: Lookup): Promise<number> =>
  timed(ROUNDS, persons, async (n) => {
    const person = await inStore(store, key(n));
    if (!person || (await store.listDistinctIds([person.id], 1000)).get(person.id)?.length !== 3)
      throw new Error('A person or a distinct ID is missing');
  });
