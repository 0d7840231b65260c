/** Where the nodes of one large installation keep everything: a database in PostgreSQL and one in ClickHouse. */
import type { Config } from '../../src/config.ts';
import { findClickHouse, makeDatabase } from './clickhouse.ts';
import { freshDatabase } from './postgres.ts';

export interface ClusterStores {
  config: Pick<Config, 'databaseUrl' | 'clickhouseUrl' | 'clickhouseOptions'> &
    Partial<Pick<Config, 'clickhouseSqlUrl'>>;
  remove(): Promise<void>;
}

/** Nobody listens there. */
const UNREACHABLE_URL = 'http://127.0.0.1:9';

/** Stores whose ClickHouse is down: everything but event queries works. */
export async function makeStoresWithoutClickHouse(): Promise<ClusterStores> {
  const postgres = await freshDatabase();
  return {
    config: { databaseUrl: postgres.url, clickhouseUrl: UNREACHABLE_URL, clickhouseOptions: {} },
    remove: () => postgres.drop(),
  };
}

export async function makeClusterStores(): Promise<ClusterStores> {
  const server = await findClickHouse();
  if (server === null) throw new Error('No ClickHouse: see test/support/clickhouse.ts.');
  const [postgres, clickhouse] = [await freshDatabase(), await makeDatabase(server)];
  const { url, ...clickhouseOptions } = clickhouse.options;
  return {
    // An engine for tests has no users.
    config: { databaseUrl: postgres.url, clickhouseUrl: url, clickhouseSqlUrl: url, clickhouseOptions },
    async remove() {
      await postgres.drop();
      await clickhouse.drop();
    },
  };
}
