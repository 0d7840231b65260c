import { describe, it } from 'vitest';
import type { ClickHouseOptions } from '../../src/stores/clickhouse/event-store.ts';
import { findClickHouse } from './clickhouse.ts';

/** A suite that needs ClickHouse; without one it is reported as skipped, with how to get one in its name. */
export async function describeWithClickHouse(
  name: string,
  define: (server: ClickHouseOptions) => void | Promise<void>,
): Promise<void> {
  const server = await findClickHouse();
  if (server !== null) describe(name, () => define(server));
  else
    it.skip(`${name} (no ClickHouse: set CLICKHOUSE_URL, or CLICKHOUSE_COMMAND to what starts one)`, () => undefined);
}
