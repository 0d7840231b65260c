import type { Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';

export interface Migration {
  /** What it does, in a few words: kept in the database for whoever looks. */
  name: string;
  up(db: Kysely<unknown>, dialect: SqlDialect): Promise<void>;
}
