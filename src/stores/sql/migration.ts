import type { Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';

/** A step of the database's schema, forward only. */
export interface Migration {
  /** Unique across the project, features included, and without gaps: the version of the schema after this step. */
  number: number;
  /** What it does, in a few words; stored in the database. */
  name: string;
  up(db: Kysely<unknown>, dialect: SqlDialect): Promise<void>;
}
