import { afterAll, describe, vi } from 'vitest';
import { describeEventStore } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeReassignment } from '../../../test/contract/reassignment.ts';
import { findClickHouse, makeDatabase, TIMEOUTS } from '../../../test/support/clickhouse.ts';

vi.setConfig(TIMEOUTS);
const server = await findClickHouse();

describe.skipIf(server === null)('with ClickHouse', async () => {
  const database = server && (await makeDatabase(server));
  if (database === null) return;
  afterAll(() => database.drop());
  const runs = Number(process.env['CLICKHOUSE_RUNS'] ?? 3);
  describeEventStore('ClickHouse', () => database.makePlace(), { runs });
  describeMirror('ClickHouse', () => database.makePlace());
  describeReassignment('ClickHouse', () => database.makePlace());
});
