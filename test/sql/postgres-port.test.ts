/** The port for clients of PostgreSQL, with `pg` and, where it is installed, psql. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

const hasPsql = spawnSync('psql', ['--version']).status === 0;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z', config: { sqlPort: 0 } });
  const event = (name: string, ms: number) => ({
    event: name,
    distinct_id: 'ann',
    timestamp: '2026-01-15T09:00:00Z',
    properties: { ms, $browser: 'Firefox' },
  });
  await capture(server, server.projectKey, [event('a', 1), event('a', 20), event('b', 300)]);
});
afterAll(() => server.close());

const options = (more: object = {}) => ({
  host: '127.0.0.1',
  port: server.sqlPort,
  user: 'anybody',
  database: '1',
  password: server.personalKey,
  ...more,
});

async function withClient<T>(use: (client: pg.Client) => Promise<T>, more: object = {}): Promise<T> {
  const client = new pg.Client(options(more));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const failureOf = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => ({ code: 'none', message: 'none' }),
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  );

describe.skipIf(!isEmbedded)('the port for PostgreSQL', () => {
  it('answers a statement, also with parameters', async () => {
    const rows = await withClient(async (client) => [
      (await client.query('select event, count(*) as n from public.events group by event order by event')).rows,
      (await client.query('select count(*) as n from events where event = $1', ['a'])).rows,
      (await client.query('select count(*) as n from events where toFloat(properties.ms) > $1', [10])).rows,
      (await client.query(`select uuid is not null as u, timestamp, 1.5 as f, null as x from events limit 1`)).rows,
    ]);
    expect(rows).toEqual([
      [
        { event: 'a', n: '2' },
        { event: 'b', n: '1' },
      ],
      [{ n: '2' }],
      [{ n: '2' }],
      [{ u: true, timestamp: new Date('2026-01-15T09:00:00Z'), f: 1.5, x: null }],
    ]);
  });

  it.each([
    [
      'tables, as JDBC does',
      `SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME, CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM' WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END ELSE NULL END AS TABLE_TYPE, d.description AS REMARKS, '' as TYPE_CAT FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass) WHERE c.relnamespace = n.oid AND (false OR (c.relkind = 'v' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')) ORDER BY TABLE_TYPE,TABLE_SCHEM,TABLE_NAME`,
      8,
    ],
    [
      'columns, as JDBC does',
      `SELECT * FROM (SELECT current_database() AS current_database, n.nspname,c.relname,a.attname,a.atttypid,a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull,a.atttypmod,a.attlen,t.typtypmod,row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity,nullif(a.attgenerated, '') as attgenerated,pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc,dsc.description,t.typbasetype,t.typtype FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid=def.adrelid AND a.attnum = def.adnum) LEFT JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT JOIN pg_catalog.pg_class dc ON (dc.oid=dsc.classoid AND dc.relname='pg_class') LEFT JOIN pg_catalog.pg_namespace dn ON (dc.relnamespace=dn.oid AND dn.nspname='pg_catalog') WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'public' AND c.relname LIKE 'persons') c WHERE true ORDER BY nspname,c.relname,attnum`,
      4,
    ],
    [
      'tables, as Grafana does',
      `SELECT CASE WHEN quote_ident(table_schema) IN ('public') THEN quote_ident(table_name) ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table" FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog') ORDER BY 1`,
      8,
    ],
    [
      'schemas, as DBeaver does',
      `SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass ORDER BY nspname`,
      3,
    ],
    [
      'tables, as DBeaver does',
      `SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr, pg_catalog.pg_get_partkeydef(c.oid) as partition_key FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass WHERE c.relnamespace=2200 AND c.relkind not in ('i','I','c')`,
      8,
    ],
    [
      'a table, as Metabase does',
      `SELECT "public"."events"."event" AS "event", COUNT(*) AS "count" FROM "public"."events" GROUP BY "public"."events"."event" ORDER BY "public"."events"."event" ASC LIMIT 2000`,
      2,
    ],
    [
      'what may be read, as Metabase does',
      `with table_privileges as (select t.schemaname as schema, t.objectname as table, pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"', 'update') as update, pg_catalog.has_any_column_privilege(current_user, '"' || replace(t.schemaname, '"', '""') || '"', 'select') as select from (select schemaname, tablename as objectname from pg_catalog.pg_tables union select schemaname, viewname as objectname from pg_catalog.pg_views union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t where t.schemaname !~ '^pg_' and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')) select t.* from table_privileges t where t.select and not t.update`,
      8,
    ],
    [
      'keywords, as JDBC does',
      `select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{a,abs,select,table}'::text[])`,
      1,
    ],
    ['keywords, as DBeaver does', `select word from pg_catalog.pg_get_keywords() where catcode = 'T' order by 1`, 23],
    [
      'columns, as Grafana does',
      `SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns WHERE CASE WHEN array_length(parse_ident('persons'),1) = 2 THEN quote_ident(table_schema) = (parse_ident('persons'))[1] AND quote_ident(table_name) = (parse_ident('persons'))[2] ELSE quote_ident(table_name) = 'persons' AND quote_ident(table_schema) IN ('public') END`,
      4,
    ],
    [
      'databases, as DBeaver does',
      `SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname = '1' ORDER BY db.datname`,
      1,
    ],
    [
      'columns, as DBeaver does',
      `SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid WHERE NOT a.attisdropped AND c.relkind not in ('i','I','c') AND c.relname='persons' ORDER BY a.attnum`,
      4,
    ],
  ])('lists %s', async (_name, sql, count) => {
    expect((await withClient((client) => client.query(sql))).rows).toHaveLength(count);
  });

  it('reads a cursor in parts, until its transaction ends', async () => {
    await withClient(async (client) => {
      const letters = `select unnest(['a', 'b', 'c', 'd', 'e']) as letter order by 1`;
      const fetched = async (what: string) => {
        const { command, rowCount, rows } = await client.query(`fetch ${what}`);
        return [command, rowCount, rows.map(({ letter }: { letter: string }) => letter).join('')];
      };
      expect((await failureOf(client.query(`declare c cursor for ${letters}`))).code).toBe('25P01');
      await client.query('begin');
      expect((await client.query(`declare c no scroll cursor for ${letters}`)).command).toBe('DECLARE');
      expect((await failureOf(client.query(`declare c cursor for ${letters}`))).code).toBe('42P03');
      expect(await fetched('forward 2 from c')).toEqual(['FETCH', 2, 'ab']);
      expect(await fetched('c')).toEqual(['FETCH', 1, 'c']);
      expect((await failureOf(client.query('fetch prior from c'))).code).toBe('55000');
      expect(await fetched('all from c')).toEqual(['FETCH', 2, 'de']);
      expect(await fetched('10 from c')).toEqual(['FETCH', 0, '']);
      await client.query('close c');
      expect((await failureOf(client.query('fetch c'))).code).toBe('34000');
      expect((await failureOf(client.query('close c'))).code).toBe('34000');
      // With a parameter, and held beyond the end of its transaction.
      await client.query('declare held cursor with hold for select event from events where event = $1', ['b']);
      await client.query(`declare other cursor for ${letters}`);
      await client.query('commit');
      expect((await failureOf(client.query('fetch other'))).code).toBe('34000');
      expect((await client.query('fetch all from held')).rows).toEqual([{ event: 'b' }]);
      await client.query('close all');
      expect((await failureOf(client.query('fetch held'))).code).toBe('34000');
      expect((await failureOf(client.query('begin; declare c cursor for delete from events'))).code).toBe('25006');
    });
  });

  it('keeps no more rows for the cursors of a connection than fit', async () => {
    await withClient(async (client) => {
      await client.query('begin');
      const tenTimes = Array.from({ length: 10 }, (_, i) => `select '${String(i).repeat(1000)}' as t`).join(
        ' union all ',
      );
      const large = `with d as (${tenTimes}) select concat(a.t, b.t, c.t, d.t) from d a, d b, d c, d`;
      await client.query(`declare a cursor for ${large}`);
      await client.query(`declare b cursor for ${large}`);
      expect((await failureOf(client.query(`declare c cursor for ${large}`))).code).toBe('53200');
      await client.query('close a');
      await client.query(`declare c cursor for ${large}`);
      expect((await client.query('fetch 2 from c')).rowCount).toBe(2);
    });
  });

  it('reads a portal in parts, as drivers do that read a few rows at a time', async () => {
    const rows = await withClient(async (client) => {
      // `rows` is how many it reads at a time; its types do not have it.
      const query = { text: 'select unnest([1, 2, 3]) as n', rows: 2 };
      return (await client.query(query)).rows;
    });
    expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('knows words that need quotes, and lists of a SELECT', async () => {
    const [keywords, lists] = await withClient(async (client) => [
      await client.query(
        `select word, catcode from pg_get_keywords() k where k.word in ('select', 'join', 'int') order by 1`,
      ),
      await client.query(
        `select array(select event from events where event = 'b') as some, array(select event from events where false) as none, 'a' = any('{a,b}'::text[]) as known`,
      ),
    ]);
    expect(keywords?.rows).toEqual([
      { word: 'int', catcode: 'C' },
      { word: 'join', catcode: 'T' },
      { word: 'select', catcode: 'R' },
    ]);
    expect(lists?.rows).toEqual([{ some: ['b'], none: [], known: true }]);
  });

  it('tells that there are more rows only where the limit is not that of the statement', async () => {
    const notices: string[] = [];
    await withClient(async (client) => {
      client.on('notice', ({ message }) => notices.push(String(message)));
      expect((await client.query('select event from events limit 1')).rowCount).toBe(1);
    });
    expect(notices).toEqual([]);
  });

  it('prepares statements by name', async () => {
    const rows = await withClient(async (client) => {
      const query = { name: 'by-event', text: 'select count(*) as n from events where event = $1' };
      const first = await client.query({ ...query, values: ['a'] });
      const second = await client.query({ ...query, values: [`' or 1=1 --`] });
      return [first.rows, second.rows];
    });
    expect(rows).toEqual([[{ n: '2' }], [{ n: '0' }]]);
  });

  it('knows what drivers ask at the start', async () => {
    await withClient(async (client) => {
      await client.query(`set application_name = 'x'; begin; select 1; commit`);
      expect((await client.query('show transaction isolation level')).rows).toEqual([
        { transaction_isolation: 'read committed' },
      ]);
      expect((await client.query('select version() as v, current_schema() as s')).rows[0]).toEqual({
        v: 'PostgreSQL 15.0 (Cairn)',
        s: 'public',
      });
      const columns = await client.query(
        `select column_name, data_type from information_schema.columns where table_schema = 'public' and table_name = 'persons'`,
      );
      expect(columns.rows[1]).toEqual({ column_name: 'created_at', data_type: 'timestamp with time zone' });
    });
  });

  it.each([
    ['delete from events', '25006'],
    ['create table t (a int)', '25006'],
    ['select * from event_rows', '42P01'],
    ['select * from pg_catalog.pg_shadow', '42P01'],
    ['select * from duckdb_settings()', '42883'],
    ['select nope from events', '42703'],
    ['selec 1', '42601'],
    ['copy events to stdout', '25006'],
    [`select pg_read_file('/etc/passwd')`, '42883'],
    [`select * from read_text('/etc/passwd')`, '42883'],
  ])('refuses %s', async (sql, code) => {
    const found = await withClient(async (client) => {
      const failure = await failureOf(client.query(sql));
      // The connection goes on.
      expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
      return failure;
    });
    expect([found.code, found.code === '42601' && sql !== 'selec 1']).toEqual([code, false]);
  });

  it('lets in only those whose key opens the project', async () => {
    const other = await server.createProject({ foreign: true });
    const key = async (scopes: string[]) =>
      (await clientFor(server).post('/api/personal_api_keys/', { body: { label: 'k', scopes } })).body.value;
    const connectWith = (more: object) => failureOf(withClient((client) => client.query('select 1'), more));
    expect((await connectWith({ password: 'phx_wrong' })).code).toBe('28P01');
    expect((await connectWith({ database: String(other.projectId) })).code).toBe('3D000');
    expect((await connectWith({ database: '999' })).code).toBe('3D000');
    expect((await connectWith({ database: 'nope' })).code).toBe('3D000');
    expect((await connectWith({ password: await key(['insight:read']) })).code).toBe('42501');
    expect((await connectWith({ password: await key(['query:read']) })).code).toBe('none');
  });

  it('stops serving a key that was deleted', async () => {
    const api = clientFor(server);
    const { id, value } = (
      await api.post('/api/personal_api_keys/', { body: { label: 'gone', scopes: ['query:read'] } })
    ).body;
    await withClient(
      async (client) => {
        await client.query('select 1');
        await api.delete(`/api/personal_api_keys/${id}/`);
        expect((await failureOf(client.query('select 2'))).code).toBe('28P01');
      },
      { password: value },
    );
  });

  it('cancels a statement', async () => {
    const client = new pg.Client(options());
    await client.connect();
    const names = Array.from({ length: 19 }, (_, i) => `e${i}`);
    // A billion rows with some work for each.
    const huge = `select max(md5(concat(${names.map((name) => `${name}.event`).join(', ')}))) as m from ${names.map((name) => `events ${name}`).join(', ')}`;
    const running = failureOf(client.query(huge));
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const bytes = Buffer.alloc(16);
    for (const [at, value] of [16, 80_877_102, processID, secretKey].entries()) bytes.writeInt32BE(value, at * 4);
    const socket = connect(server.sqlPort, '127.0.0.1', () => socket.end(bytes));
    expect((await running).code).toBe('57014');
    await client.end();
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a huge length', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0])],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0])],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
    ['an old version', Buffer.from([0, 0, 0, 8, 0, 2, 0, 0])],
    ['a start without an end', Buffer.from([0, 0, 0, 12, 0, 3, 0, 0, 117, 115, 101, 114])],
    ['a password that is none', Buffer.from('0000000900030000005800000004', 'hex')],
    ['random bytes', Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 7919) % 256))],
  ])('survives %s', async (_name, bytes) => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.sqlPort, '127.0.0.1', () => socket.end(bytes));
      socket.on('data', () => undefined);
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
    });
    expect(await withClient(async (client) => (await client.query('select 1 as n')).rows)).toEqual([{ n: 1 }]);
  });

  describe.skipIf(!hasOpenssl)('with TLS', () => {
    let secure: TestServer;
    let cert: string;

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cairn-tls-'));
      const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
      spawnSync('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        ...names,
        '-keyout',
        keyFile,
        '-out',
        certFile,
      ]);
      cert = readFileSync(certFile, 'utf8');
      const sqlTlsKey = readFileSync(keyFile, 'utf8');
      rmSync(folder, { recursive: true });
      secure = await startServer({ config: { sqlPort: 0, sqlTlsCert: cert, sqlTlsKey } });
    });
    afterAll(() => secure.close());

    it('is encrypted, with the certificate that is set', async () => {
      const more = { port: secure.sqlPort, host: 'localhost', ssl: { ca: cert } };
      expect(await withClient(async (client) => (await client.query('select 1 as n')).rows, more)).toEqual([{ n: 1 }]);
      const strangers = { ...more, ssl: { rejectUnauthorized: true } };
      expect((await failureOf(withClient((client) => client.query('select 1'), strangers))).code).toMatch(
        /SELF_SIGNED/,
      );
    });

    it.skipIf(!hasPsql)('is what sslmode=require of psql gets', async () => {
      const at = `host=127.0.0.1 port=${secure.sqlPort} dbname=1 user=me sslmode=require`;
      const env = { ...process.env, PGPASSWORD: secure.personalKey };
      const { stdout } = await promisify(execFile)(
        'psql',
        ['-X', '-A', '-t', at, '-c', 'select 1', '-c', '\\conninfo'],
        { env },
      );
      expect(stdout).toMatch(/^1\n[\s\S]*SSL connection \(protocol: TLSv1\.[23]/);
    });

    it.skipIf(!hasPsql)('is refused with a reason where no certificate is set', async () => {
      const at = `host=127.0.0.1 port=${server.sqlPort} dbname=1 user=me sslmode=require`;
      const refused = await promisify(execFile)('psql', ['-X', at, '-c', 'select 1']).catch(
        ({ stderr }) => stderr as string,
      );
      expect(refused).toContain('server does not support SSL, but SSL was required');
    });
  });

  describe.skipIf(!hasPsql)('with psql', () => {
    const psql = async (...commands: string[]) => {
      const at = `host=127.0.0.1 port=${server.sqlPort} dbname=1 user=me`;
      const given = commands.flatMap((command) => ['-c', command]);
      const env = { ...process.env, PGPASSWORD: server.personalKey };
      const { stdout, stderr } = await promisify(execFile)('psql', ['-X', '-A', '-t', at, ...given], { env });
      return `${stdout}${stderr}`;
    };

    it('runs statements and lists tables and columns', async () => {
      expect(await psql('select event, count(*) from events group by 1 order by 1')).toBe('a|2\nb|1\n');
      const tables = await psql('\\d');
      for (const name of ['events', 'persons', 'sessions']) expect(tables).toContain(`public|${name}|view|cairn`);
      expect(await psql('\\dt')).not.toContain('ERROR');
      const columns = await psql('\\d events');
      expect(columns).toContain('uuid|uuid||not null|');
      expect(columns).toContain('timestamp|timestamp with time zone||not null|');
      expect(await psql('\\d+')).toContain('public|persons|view|cairn|permanent||0 bytes|Everybody with a profile.');
      expect(await psql('\\d+ persons')).toContain('created_at|timestamp with time zone||not null||plain|');
      expect(await psql('\\l')).toContain('cairn|cairn|UTF8|C|C');
      const commands = '\\dt+ \\dv+ \\l+ \\dn \\dn+ \\df \\dT \\di \\ds \\dm \\dp \\dD \\dx \\db \\dv \\conninfo'.split(
        ' ',
      );
      for (const command of commands) {
        expect([command, await psql(command)]).not.toEqual([command, expect.stringContaining('ERROR')]);
      }
    });

    it.each([
      ...['\\dF', '\\dFd+', '\\dFp', '\\dFt+', '\\dL', '\\dL+', '\\do', '\\do+', '\\dC', '\\dC+', '\\dd'],
      ...['\\dT+', '\\df+', '\\da', '\\dD+', '\\dO', '\\dconfig'],
    ])('lists nothing where there is nothing: %s', async (command) => {
      expect(await psql(command)).toBe('');
    });

    it('lists nothing of what only administrators have', async () => {
      // biome-ignore format: a list
      const commands = [
        'dAc', 'dAc+', 'dAf', 'dAf+', 'dAo', 'dAo+', 'dAp', 'dAp+', 'dc', 'dc+', 'dconfig+', 'ddp', 'des', 'des+', 'det',
        'det+', 'deu', 'deu+', 'dew', 'dew+', 'dl', 'dP', 'dP+', 'drds', 'dRp', 'dRp+', 'dRs', 'dRs+', 'dX', 'dy', 'dy+',
      ];
      server.setNow('2026-01-15T12:02:00Z');
      const told = await psql(...commands.map((command) => `\\${command}`));
      // For some of them psql has words of its own.
      expect(told.replaceAll(/^Did not find any \w+\.\n/gm, '')).toBe('');
      server.setNow('2026-01-15T12:04:00Z');
    });

    it('has no answer for a function that only the catalog may leave out', async () => {
      expect(await psql(`select format('%s', 'a')`).catch(({ stderr }) => String(stderr))).toContain(
        'There is no function format',
      );
    });

    it('says what a view is', async () => {
      const view = 'CREATE OR REPLACE VIEW public.persons AS\n -- Made by Cairn. Everybody with a profile.\n';
      expect(await psql('\\sv persons')).toBe(view);
      expect(await psql('\\sv+ public.persons')).toContain('2        -- Made by Cairn. Everybody with a profile.');
    });

    it('reads rows in parts with FETCH_COUNT', async () => {
      const sql = `select unnest(['a', 'b', 'c']) as letter order by 1`;
      expect(await psql('\\set FETCH_COUNT 2', sql)).toBe('a\nb\nc\n');
      expect(await psql('\\set FETCH_COUNT 3', sql, 'select count(*) from events')).toBe('a\nb\nc\n3\n');
    });

    it('lists roles', async () => {
      expect(await psql('\\du')).toBe('cairn||[]\n');
      expect(await psql('\\dg+')).not.toContain('ERROR');
    });
  });
});
