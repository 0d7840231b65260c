/**
 * The fast path for the person with a distinct id, needed for nearly every flag decision. It has its own connection with
 * one prepared statement. Reads in one turn of the event loop share one transaction: opening one costs more than finding
 * a person in it (measured under load: 20 of 60 µs).
 *
 * The transaction ends with the turn, after a write of this thread, and on `refresh`. Recently read persons stay cached
 * until something is written about them.
 */
import type Database from 'better-sqlite3';
import type { SubjectPerson, SubjectStore } from '../metadata/subjects.ts';
import { toSubjectPerson } from '../sql/subjects.ts';
import { PersonCache } from './person-cache.ts';

type PersonColumns = [id: number, uuid: string, properties: string];

interface OpenConnection {
  database: Database.Database;
  person: Database.Statement<[number, string], PersonColumns>;
  begin: Database.Statement;
  commit: Database.Statement;
}

const PERSON_SQL = `
  select p.id, p.uuid, p.properties
  from person_distinct_ids d
  inner join persons p on p.id = d.person_id
  where d.project_id = ? and d.distinct_id = ?`;

/** Statements on the tables that a person is read from. */
const WRITES_PERSONS = /\bperson(s|_distinct_ids)\b/;

export class PersonReader {
  readonly #open: () => Database.Database;
  readonly #cache = new PersonCache();
  /** An open transaction of this thread has written about persons. */
  #isWriting = false;
  #connection: OpenConnection | undefined;
  #isReading = false;
  #isClosed = false;

  constructor(open: () => Database.Database) {
    this.#open = open;
  }

  /** Undefined if the fast path is unavailable, as while SQLite recovers its journal. */
  getPerson(projectId: number, distinctId: string): SubjectPerson | null | undefined {
    if (this.#isClosed) return undefined;
    return this.#cache.get(projectId, distinctId) ?? this.#read(projectId, distinctId);
  }

  #read(projectId: number, distinctId: string): SubjectPerson | null | undefined {
    try {
      const row = this.#beginRead().person.get(projectId, distinctId);
      if (row === undefined) return null;
      const [id, uuid, properties] = row;
      const person = toSubjectPerson({ id, properties });
      this.#cache.set(projectId, distinctId, uuid, person, properties.length);
      return person;
    } catch {
      this.#disconnect();
      return undefined;
    }
  }

  refresh(persons?: readonly string[]): void {
    if (persons) this.#cache.invalidate(persons);
    else this.#cache.invalidateAll();
    this.#endRead();
  }

  /**
   * This thread has run a statement. Until its transaction is committed, the old state is read and cached, so the cache is
   * cleared again at the commit.
   */
  onWrite(sql: string): void {
    const isAboutPersons = WRITES_PERSONS.test(sql);
    if (isAboutPersons || (this.#isWriting && sql === 'commit')) this.#cache.invalidateAll();
    this.#isWriting = isAboutPersons || (this.#isWriting && sql !== 'commit');
    this.#endRead();
  }

  #endRead(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    try {
      this.#connection?.commit.run();
    } catch {
      this.#disconnect();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  /** The next read opens another connection. */
  #disconnect(): void {
    this.#isReading = false;
    this.#connection?.database.close();
    this.#connection = undefined;
  }

  #beginRead(): OpenConnection {
    this.#connection ??= prepare(this.#open());
    if (!this.#isReading) {
      this.#connection.begin.run();
      this.#isReading = true;
      setImmediate(() => this.#endRead());
    }
    return this.#connection;
  }
}

const prepare = (database: Database.Database): OpenConnection => ({
  database,
  // Raw rows: naming the columns takes as long as finding the row.
  person: database.prepare<[number, string], PersonColumns>(PERSON_SQL).raw(),
  begin: database.prepare('begin'),
  commit: database.prepare('commit'),
});

/** The same store with the fast path. */
export const withPersonReader = (general: SubjectStore, reader: PersonReader): SubjectStore => ({
  ...general,
  getPerson(projectId, distinctId) {
    const person = reader.getPerson(projectId, distinctId);
    return person === undefined ? general.getPerson(projectId, distinctId) : person;
  },
  refresh: (persons) => reader.refresh(persons),
});
