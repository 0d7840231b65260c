import { afterAll, vi } from 'vitest';
import { describeEventStore } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeReassignment } from '../../../test/contract/reassignment.ts';
import { makeDatabase, TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';

vi.setConfig(TIMEOUTS);

await describeWithClickHouse('with ClickHouse', async (server) => {
  const database = await makeDatabase(server);
  afterAll(() => database.drop());
  const runs = Number(process.env['CLICKHOUSE_RUNS'] ?? 3);
  describeEventStore('ClickHouse', () => database.makeSetup(), { runs });
  describeMirror('ClickHouse', () => database.makeSetup());
  describeReassignment('ClickHouse', () => database.makeSetup());
});
