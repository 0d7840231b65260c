/**
 * The same worlds on DuckDB and on ClickHouse, to be asked the same. Statements are dear where ClickHouse is emulated:
 * so all worlds are put first, and then written there at once.
 */
import { createClient } from '@clickhouse/client';
import { clickhouseDialect } from '../../src/stores/clickhouse/dialect.ts';
import { type ClickHouseOptions, openClickHouseEventStore } from '../../src/stores/clickhouse/event-store.ts';
import { type EngineDeps, openInsightStore, type PutWorld } from './insight-store.ts';

export interface TwoEngines {
  duckdb: EngineDeps;
  clickhouse: EngineDeps;
  put: Awaited<ReturnType<typeof openInsightStore>>['put'];
  /** Writes the data to ClickHouse. */
  ship(): Promise<void>;
  close(): Promise<void>;
}

export async function openTwoEngines(options: ClickHouseOptions): Promise<TwoEngines> {
  const small = await openInsightStore();
  const large = await openClickHouseEventStore(options);
  const worlds: PutWorld[] = [];
  let position = 0;
  return {
    duckdb: small.deps,
    clickhouse: { ...small.deps, events: large, dialect: clickhouseDialect, mirrorPersons: async () => undefined },
    async put(...given) {
      const world = await small.put(...given);
      worlds.push(world);
      return world;
    },
    async ship() {
      const all = worlds.splice(0);
      const [events, overrides] = [all.flatMap(({ stored }) => stored), all.flatMap((world) => world.overrides)];
      await large.write({ events, overrides, position: ++position });
      await writePersons(options, all);
    },
    async close() {
      await large.close();
      await small.close();
    },
  };
}

/** One insert for all projects; the store would need one for each. */
async function writePersons(options: ClickHouseOptions, worlds: readonly PutWorld[]): Promise<void> {
  const client = createClient({ url: options.url, request_timeout: 600_000 });
  const values = worlds.flatMap(({ projectId, data }) =>
    data.persons.map(({ uuid, createdAt, properties }) => ({
      project_id: projectId,
      person_id: uuid,
      created_at: createdAt,
      properties: JSON.stringify(properties),
      version: 1,
      is_gone: 0,
    })),
  );
  await client.insert({ table: 'person_versions', values, format: 'JSONEachRow' });
  await client.close();
}
