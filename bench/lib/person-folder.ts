/** Fills a project with persons, as if they had been created from events. */
import Database from 'better-sqlite3';

/** One of the persons has very many distinct IDs. */
interface PersonFolder {
  persons: number;
  manyIds: number;
}

export const personUuid = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Twenty properties, typical of a website. */
const propertiesOf = (n: number): string =>
  JSON.stringify({
    email: `User${n}@example.org`,
    name: `Somebody Number ${n}`,
    plan: n % 4 === 0 ? 'pro' : 'free',
    rare: n === 7 ? 'yes' : 'no',
    seats: n % 100,
    $browser: ['Chrome', 'Firefox', 'Safari'][n % 3],
    $os: ['Windows', 'Mac OS X', 'Linux'][n % 3],
    $initial_referrer: 'https://www.example.org/somewhere',
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`property_${i}`, `value ${(n * (i + 1)) % 977}`])),
  });

/** New persons per chunk; each chunk is one change. */
const CHUNK_SIZE = 1000;

export function fillWithPersons(path: string, { persons, manyIds }: PersonFolder): void {
  const db = new Database(path);
  const person = db.prepare(
    `insert into persons (id, project_id, uuid, created_at, properties, is_identified, version, change, email)
    select n, 1, uuid, at, properties, 1, 0, change, properties -> '$.email'
    from (select ? as n, ? as uuid, ? as at, ? as properties, ? as change)`,
  );
  const id = db.prepare(
    'insert into person_distinct_ids (project_id, distinct_id, person_id, version) values (1, ?, ?, 0)',
  );
  db.transaction(() => {
    for (let n = 1; n <= persons; n++) {
      person.run(n, personUuid(n), 1_700_000_000_000 + n * 37, propertiesOf(n), Math.ceil(n / CHUNK_SIZE));
      for (const kind of ['user', 'device', 'browser']) id.run(`${kind}-${n}`, n);
    }
    for (let n = 0; n < manyIds; n++) id.run(`many-${n}`, 1);
    db.prepare('update person_change set change = ?').run(Math.ceil(persons / CHUNK_SIZE));
  })();
  db.close();
}

/** How many persons are not indexed yet, up to a thousand. */
export function unindexed(path: string): number {
  const db = new Database(path, { readonly: true });
  const left = db
    .prepare(
      `select count(*) from (
        select 1 from persons where project_id = 1 and (change, id) > (
          coalesce((select change from person_index_positions where project_id = 1), -1),
          coalesce((select person_id from person_index_positions where project_id = 1), 0)
        ) limit 1000
      )`,
    )
    .pluck()
    .get();
  db.close();
  return Number(left);
}
