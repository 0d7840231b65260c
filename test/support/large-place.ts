/** Where the nodes of one large installation keep everything: a database in PostgreSQL and one in ClickHouse. */
import type { Config } from '../../src/config.ts';
import { findClickHouse, makeDatabase } from './clickhouse.ts';
import { freshDatabase } from './postgres.ts';

export interface LargePlace {
  config: Pick<Config, 'databaseUrl' | 'clickhouseUrl' | 'clickhouseOptions'>;
  remove(): Promise<void>;
}

/** Nobody listens there. */
const AWAY = 'http://127.0.0.1:9';

/** A place whose ClickHouse is away: everything but questions about events works. */
export async function makePlaceWithoutClickHouse(): Promise<LargePlace> {
  const postgres = await freshDatabase();
  return {
    config: { databaseUrl: postgres.url, clickhouseUrl: AWAY, clickhouseOptions: {} },
    remove: () => postgres.drop(),
  };
}

export async function makeLargePlace(): Promise<LargePlace> {
  const server = await findClickHouse();
  if (server === null) throw new Error('No ClickHouse: see test/support/clickhouse.ts.');
  const [postgres, clickhouse] = [await freshDatabase(), await makeDatabase(server)];
  const { url, ...clickhouseOptions } = clickhouse.options;
  return {
    config: { databaseUrl: postgres.url, clickhouseUrl: url, clickhouseOptions },
    async remove() {
      await postgres.drop();
      await clickhouse.drop();
    },
  };
}
