/** Writes the rows of the persons that a chunk created or changed. */
import { sql } from 'kysely';
import type { Json } from '../../../core/json/json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type { PersonState } from '../../../core/persons/person-changes.ts';
import { type PropertyColumns, propertyColumns } from '../person-properties.ts';
import { runForEach } from '../repeat.ts';
import { type Flag, type Sql, toBit } from '../tables.ts';
import { writeRows } from '../write-rows.ts';

/**
 * A row as this transaction has read it, under the lock: its id, and what indexes contain of a person. The e-mail is that
 * of the properties, which are read anyway: reading the column, too, would take 0.6 to 2 µs.
 */
export interface ReadRow {
  id: number;
  createdAt: number;
  email: Json | undefined;
}

/** By uuid. */
export type ReadRows = ReadonlyMap<string, ReadRow>;

type NewRow = PropertyColumns & {
  projectId: number;
  uuid: string;
  createdAt: number;
  isIdentified: Flag;
  version: number;
  change: number;
};

/** Its id, and what it will be. */
type ChangedRow = readonly [id: number, row: NewRow];

/**
 * SQLite writes an index anew if a statement mentions one of its columns, also with the same value. So the time and the
 * e-mail of a person who exists, which hardly ever change, are only mentioned if they do: half the time for each person.
 */
export async function writePersonRows(
  on: Sql,
  states: readonly PersonState[],
  known: ReadRows,
  change: number,
): Promise<void> {
  const unread: NewRow[] = [];
  const indexed: ChangedRow[] = [];
  const others: ChangedRow[] = [];
  for (const { person } of states) {
    const row = toRow(on, person, change);
    // A remote server gets all of them in one statement.
    const before = on.dialect.isRemote ? undefined : known.get(person.uuid);
    if (before === undefined) unread.push(row);
    else if (hasSameIndexed(before, person)) others.push([before.id, row]);
    else indexed.push([before.id, row]);
  }
  await upsertPersons(on, unread);
  await updateIndexed(on, indexed);
  await updateOthers(on, others);
}

const toRow = (on: Sql, person: Person, change: number): NewRow => ({
  projectId: person.projectId,
  uuid: person.uuid,
  createdAt: person.createdAt,
  isIdentified: toBit(person.isIdentified),
  version: person.version,
  change,
  ...propertyColumns(on, person.properties),
});

/** Values are immutable. An object that is equal, but not the same, may be written again. */
const hasSameIndexed = (before: ReadRow, { createdAt, properties }: Person): boolean =>
  before.createdAt === createdAt && before.email === properties['email'];

const COLUMNS = {
  projectId: 'integer',
  uuid: 'text',
  createdAt: 'integer',
  properties: 'text',
  isIdentified: 'integer',
  version: 'integer',
  change: 'integer',
} as const;

/** New persons were not read, nor was one that an import finds by the uuid. */
function upsertPersons(on: Sql, rows: readonly NewRow[]): Promise<void> {
  const { generatesEmails } = on.dialect;
  const [email, setEmail] = generatesEmails ? [sql``, sql``] : [sql`, email`, sql`, email = excluded.email`];
  return writeRows(
    on,
    generatesEmails ? COLUMNS : { ...COLUMNS, email: 'text' },
    rows,
    (source) => sql`
    insert into persons (project_id, uuid, created_at, properties, is_identified, version, change ${email})
    ${source}
    on conflict (uuid) do update set
      created_at = excluded.created_at,
      properties = excluded.properties,
      is_identified = excluded.is_identified,
      version = excluded.version,
      change = excluded.change ${setEmail}`,
  );
}

async function updateIndexed(on: Sql, rows: readonly ChangedRow[]): Promise<void> {
  const updated = await runForEach(
    on,
    rows,
    ([id, row]) => [row.createdAt, row.email, row.properties, row.isIdentified, row.version, row.change, id],
    ([createdAt, email, properties, isIdentified, version, change, id]) => sql`
    update persons
    set created_at = ${createdAt}, email = ${email}, properties = ${properties}, is_identified = ${isIdentified},
      version = ${version}, change = ${change}
    where id = ${id}`,
  );
  assertAll(updated, rows);
}

async function updateOthers(on: Sql, rows: readonly ChangedRow[]): Promise<void> {
  const updated = await runForEach(
    on,
    rows,
    ([id, row]) => [row.properties, row.isIdentified, row.version, row.change, id],
    ([properties, isIdentified, version, change, id]) => sql`
    update persons
    set properties = ${properties}, is_identified = ${isIdentified}, version = ${version}, change = ${change}
    where id = ${id}`,
  );
  assertAll(updated, rows);
}

/** Whoever deletes a person needs the lock that this transaction has. */
function assertAll(updated: number, rows: readonly ChangedRow[]): void {
  if (updated === rows.length) return;
  throw new Error(
    `${rows.length - updated} of ${rows.length} persons are gone, although they were read under the lock.`,
  );
}
