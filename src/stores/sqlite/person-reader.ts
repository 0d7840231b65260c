/**
 * One question by the shortest way: the person behind a distinct id, asked for nearly every decision about a flag. It has
 * a connection of its own with one prepared statement, and what is asked in one turn of the event loop shares one view
 * of the database: to open and close a view costs more than to find a person in it (measured under load: 20 of 60 µs).
 *
 * A view ends with the turn, when this thread has written something, and when somebody says that another has (`refresh`).
 */
import type Database from 'better-sqlite3';
import { toPerson } from '../sql/subjects.ts';
import type { SubjectPerson, SubjectStore } from '../subject-store.ts';

interface Opened {
  database: Database.Database;
  person: Database.Statement<[number, string], [id: number, properties: string]>;
  begin: Database.Statement;
  commit: Database.Statement;
}

const PERSON = `
  select p.id, p.properties
  from person_distinct_ids d
  inner join persons p on p.id = d.person_id
  where d.project_id = ? and d.distinct_id = ?`;

export class PersonReader {
  readonly #open: () => Database.Database;
  #opened: Opened | undefined;
  #hasView = false;
  #isClosed = false;

  constructor(open: () => Database.Database) {
    this.#open = open;
  }

  /** Undefined where this way is barred for a moment, as it is while SQLite mends its journal. */
  personOf(projectId: number, distinctId: string): SubjectPerson | null | undefined {
    if (this.#isClosed) return undefined;
    try {
      const row = this.#view().person.get(projectId, distinctId);
      return row === undefined ? null : toPerson({ id: row[0], properties: row[1] });
    } catch {
      this.#letGo();
      return undefined;
    }
  }

  /** What has been written meanwhile is seen from here on. */
  refresh(): void {
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

  #view(): Opened {
    this.#opened ??= prepare(this.#open());
    if (!this.#hasView) {
      this.#opened.begin.run();
      this.#hasView = true;
      setImmediate(() => this.refresh());
    }
    return this.#opened;
  }
}

const prepare = (database: Database.Database): Opened => ({
  database,
  // As a list: to give the columns names takes as long as to find the row.
  person: database.prepare<[number, string], [id: number, properties: string]>(PERSON).raw(),
  begin: database.prepare('begin'),
  commit: database.prepare('commit'),
});

/** The same store, with the short way where it is open. */
export const withReader = (general: SubjectStore, reader: PersonReader): SubjectStore => ({
  ...general,
  personOf(projectId, distinctId) {
    const person = reader.personOf(projectId, distinctId);
    return person === undefined ? general.personOf(projectId, distinctId) : person;
  },
  refresh: () => reader.refresh(),
});
