import { createClient } from '@clickhouse/client';
import { expect, it, vi } from 'vitest';
import { TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';
import { ClickHouseSqlUser, sqlUserStatements } from './sql-user.ts';

vi.setConfig(TIMEOUTS);
const TABLES = ['event_rows', 'person_versions', 'person_override_rows'];
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

  it('reads one project and nothing else', async ({ skip }) => {
    const database = 'cairn_sql_user_test';
    const name = 'cairn_sql_user_test';
    const admin = createClient({ url });
    const run = (query: string) => admin.command({ query });
    const drop = async () => {
      for (const table of TABLES) {
        for (const policy of [name, `${name}_others`])
          await run(`drop row policy if exists "${policy}" on ${database}.${table}`);
      }
      await run(`drop user if exists "${name}"`);
      await run(`drop database if exists ${database}`);
    };
    try {
      const problem = await run('create user if not exists cairn_users_probe').then(
        () => null,
        (error: Error) => error.message,
      );
      skip(problem !== null, `this ClickHouse makes no users: ${problem}`);
      await run('drop user cairn_users_probe');
      await drop();
      await run(`create database ${database}`);
      for (const table of TABLES) {
        await run(
          `create table ${database}.${table} (project_id Int32, text String) engine = MergeTree order by project_id`,
        );
        await run(`insert into ${database}.${table} values (1, 'own'), (2, 'of another project')`);
      }
      for (const statement of sqlUserStatements({ name, database, cluster: null }, LIMITS)) {
        await run(statement.replace(`'PASSWORD'`, `'p-${name}'`));
      }
      const user = new ClickHouseSqlUser({
        ...LIMITS,
        url: Object.assign(new URL(url), { username: name, password: `p-${name}`, pathname: database }).href,
        settings: 'of the user',
      });
      try {
        expect(await user.check()).toBeNull();
        const read = (sql: string, projectId = 1) =>
          user.readRows({ projectId, sql, params: {}, maxBytes: 100_000, signal: new AbortController().signal });
        for (const table of TABLES) {
          expect(await read(`select project_id, text from ${table}`)).toEqual([[1, 'own']]);
          expect(await read(`select text from ${table}`, 3)).toEqual([]);
        }
        for (const sql of [
          'select count() from system.users',
          `select * from url('http://127.0.0.1:9/', 'CSV', 'a String')`,
          `select * from file('/etc/passwd', 'CSV', 'a String')`,
          'select 1 settings readonly = 0',
          'select 1 settings max_execution_time = 0',
          `insert into event_rows values (1, 'x')`,
          'drop table event_rows',
        ]) {
          await expect(read(sql)).rejects.toThrow();
        }
      } finally {
        await user.close();
      }
    } finally {
      await drop().catch(() => undefined);
      await admin.close();
    }
  });
});
