import { afterAll, describe, vi } from 'vitest';
import { describeEventStore } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeRefiling } from '../../../test/contract/reassignment.ts';
import { findClickHouse, makeDatabase, PATIENCE } from '../../../test/support/clickhouse.ts';

vi.setConfig(PATIENCE);
const server = await findClickHouse();

describe.skipIf(server === null)('with ClickHouse', async () => {
  const database = server && (await makeDatabase(server));
  if (database === null) return;
  afterAll(() => database.drop());
  const runs = Number(process.env['CLICKHOUSE_RUNS'] ?? 3);
  describeEventStore('ClickHouse', () => database.makePlace(), { runs });
  describeMirror('ClickHouse', () => database.makePlace());
  describeRefiling('ClickHouse', () => database.makePlace());
});
