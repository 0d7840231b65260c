import { createClient } from '@clickhouse/client';
import { expect, it, vi } from 'vitest';
import { TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';
import { sqlUserStatements } from './sql-user.ts';

vi.setConfig(TIMEOUTS);
const LIMITS = { timeoutSeconds: 30, memoryMb: 512 };

await describeWithClickHouse('the user for SQL', ({ url }) => {
  it.each([null, 'all nodes'])('is made by statements that ClickHouse parses, cluster %s', async (cluster) => {
    const client = createClient({ url });
    try {
      const statements = sqlUserStatements({ name: 'cairn_sql', database: 'cairn', cluster }, LIMITS);
      for (const statement of statements) {
        const result = await client.query({
          query: 'select formatQuerySingleLine({statement:String}) as text',
          query_params: { statement },
          format: 'JSONEachRow',
        });
        const [row] = await result.json<{ text: string }>();
        expect(row?.text.toLowerCase().split(' ').slice(0, 2)).toEqual(statement.split(' ').slice(0, 2));
      }
      expect(statements[0]).toMatch(
        /readonly = 1 const, .*max_execution_time = 30 const, max_memory_usage = 536870912 const/,
      );
      expect(statements[0]?.match(/changeable_in_readonly/g)).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});
