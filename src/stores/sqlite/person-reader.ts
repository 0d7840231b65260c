/**
 * One question by the shortest way: the person behind a distinct id, asked for nearly every decision about a flag. It has
 * a connection of its own with one prepared statement, and what is asked in one turn of the event loop shares one view
 * of the database: to open and close a view costs more than to find a person in it (measured under load: 20 of 60 µs).
 *
 * A view ends with the turn, when this thread has written something, and when somebody says that another has (`refresh`).
 * Those who were asked about lately are remembered beyond that, until something is written about them.
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

/** Whose ids are whose, and what is known of them. */
const WRITES_PERSONS = /\bperson(s|_distinct_ids)\b/;

export class PersonReader {
  readonly #open: () => Database.Database;
  readonly #memory = new PersonCache();
  /** A transaction of this thread that is still open has written about persons. */
  #isWriting = false;
  #opened: OpenConnection | undefined;
  #hasView = false;
  #isClosed = false;

  constructor(open: () => Database.Database) {
    this.#open = open;
  }

  /** Undefined where this way is barred for a moment, as it is while SQLite mends its journal. */
  getPerson(projectId: number, distinctId: string): SubjectPerson | null | undefined {
    if (this.#isClosed) return undefined;
    return this.#memory.get(projectId, distinctId) ?? this.#read(projectId, distinctId);
  }

  #read(projectId: number, distinctId: string): SubjectPerson | null | undefined {
    try {
      const row = this.#view().person.get(projectId, distinctId);
      if (row === undefined) return null;
      const [id, uuid, properties] = row;
      const person = toSubjectPerson({ id, properties });
      this.#memory.set(projectId, distinctId, uuid, person, properties.length);
      return person;
    } catch {
      this.#letGo();
      return undefined;
    }
  }

  /** What has been written meanwhile is seen from here on: about these persons, or, where none are named, about any. */
  refresh(persons?: readonly string[]): void {
    if (persons) this.#memory.invalidate(persons);
    else this.#memory.invalidateAll();
    this.#endView();
  }

  /**
   * This thread has run a statement. Until a transaction is committed others are read as they were, and remembered so:
   * its end makes them forgotten once more.
   */
  onWrite(sql: string): void {
    const isAboutPersons = WRITES_PERSONS.test(sql);
    if (isAboutPersons || (this.#isWriting && sql === 'commit')) this.#memory.invalidateAll();
    this.#isWriting = isAboutPersons || (this.#isWriting && sql !== 'commit');
    this.#endView();
  }

  #endView(): void {
    if (!this.#hasView) return;
    this.#hasView = false;
    try {
      this.#opened?.commit.run();
    } catch {
      this.#letGo();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#letGo();
  }

  /** The next question opens another connection. */
  #letGo(): void {
    this.#hasView = false;
    this.#opened?.database.close();
    this.#opened = undefined;
  }

  #view(): OpenConnection {
    this.#opened ??= prepare(this.#open());
    if (!this.#hasView) {
      this.#opened.begin.run();
      this.#hasView = true;
      setImmediate(() => this.#endView());
    }
    return this.#opened;
  }
}

const prepare = (database: Database.Database): OpenConnection => ({
  database,
  // As a list: to give the columns names takes as long as to find the row.
  person: database.prepare<[number, string], PersonColumns>(PERSON_SQL).raw(),
  begin: database.prepare('begin'),
  commit: database.prepare('commit'),
});

/** The same store, with the short way where it is open. */
export const withPersonReader = (general: SubjectStore, reader: PersonReader): SubjectStore => ({
  ...general,
  getPerson(projectId, distinctId) {
    const person = reader.getPerson(projectId, distinctId);
    return person === undefined ? general.getPerson(projectId, distinctId) : person;
  },
  refresh: (persons) => reader.refresh(persons),
});
