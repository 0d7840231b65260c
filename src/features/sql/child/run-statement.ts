import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { parseExact, stringifyExact } from '../../../core/json/exact-json.ts';
import { checkTree } from '../rules/check-tree.ts';
import { writeClickHouse } from '../rules/clickhouse-sql.ts';
import { CATALOG_SQL, CATALOG_VIEWS } from '../rules/postgres-catalog.ts';
import { adaptPostgresTree, readsCatalog } from '../rules/postgres-tree.ts';
import { plainPostgres, prepareText, type SqlScalar } from '../rules/prepare-text.ts';
import { SqlRefusal } from '../rules/refusal.ts';
import type { TreeNode } from '../rules/tree-nodes.ts';
import { joinRows, NO_ROWS } from '../sql-rows.ts';
import { explainStatement } from './explain-statement.ts';
import type { SqlAnswer, SqlRequest } from './protocol.ts';
import { toJsonValue, typeName } from './read-values.ts';
import { streamChunks } from './stream-chunks.ts';
import { writeParquet } from './write-parquet.ts';

interface ResultColumn {
  name: string;
  type: DuckDBType;
}

/** A statement that was checked and prepared on this connection. */
interface CheckedStatement {
  statement: DuckDBPreparedStatement;
  /** As it is run. */
  sql: string;
  tree: TreeNode;
  limit: number;
  isLimitLowered: boolean;
  offset: number;
  counted: readonly number[];
  readsEvents: boolean;
  isCatalog: boolean;
  /** Null if the type of a column is that of a value, which is not known before it is bound. */
  columns: ResultColumn[] | null;
}

/** Beyond that, rows are fetched while the engine finds them: half as fast, but they need not fit into memory. */
const MAX_ROWS_AT_ONCE = 50_001;

export async function runStatement(connection: DuckDBConnection, request: SqlRequest): Promise<SqlAnswer> {
  const start = performance.now();
  const given = request.isPostgres ? plainPostgres(request.sql) : request.sql;
  const { sql, parameters } = prepareText(given, request.placeholders);
  const checked = await checkedStatement(connection, sql, request);
  const { statement, limit, isLimitLowered, offset, counted, readsEvents } = checked;
  const described = checked.columns ?? (await boundColumns(connection, checked.sql, parameters));
  const columns = described.map(({ name }) => name);
  const types = described.map(({ name, type }, i): [string, string] => [
    name,
    counted.includes(i) ? 'UInt64' : typeName(type),
  ]);
  const checkMs = performance.now() - start;
  const common = { sql: checked.sql, columns, types, limit, isLimitLowered, offset, readsEvents, checkMs };
  const nothing = { ...common, rows: NO_ROWS, rowCount: 0, hasMore: false, runMs: 0 };
  if (request.path === null && !checked.isCatalog) {
    const parts = writeClickHouse(checked.tree, { projectId: request.projectId ?? 0, parameters });
    return { ...nothing, clickhouse: { parts, parameters } };
  }
  if (request.explain === true) return { ...nothing, plan: await planOf(connection, checked.sql, parameters) };
  if (request.checkOnly) return nothing;
  bind(statement, parameters);
  const runMs = () => performance.now() - start - checkMs;
  const stream = () =>
    streamChunks(checked.sql, async (text) => {
      const prepared = await prepare(connection, text);
      bind(prepared, parameters);
      return prepared;
    });
  if (request.file !== undefined) {
    const file = { path: request.file, names: columns, maxRows: limit, maxBytes: request.maxBytes };
    const written = await stream()
      .then((rows) => writeParquet(rows, file))
      .catch(rethrowExplained);
    return { ...common, ...written, rows: NO_ROWS, runMs: runMs() };
  }
  const max = limit + 1;
  const chunks = max <= MAX_ROWS_AT_ONCE ? rowsAtOnce(statement) : rowsOf(stream);
  const found = await readRows(chunks, max, request.maxBytes).catch(rethrowExplained);
  const rows = joinRows(found.slice(0, limit));
  return { ...common, rows, rowCount: Math.min(found.length, limit), hasMore: found.length > limit, runMs: runMs() };
}

const MAX_KEPT = 50;
const kept = new WeakMap<DuckDBConnection, Map<string, CheckedStatement>>();

/** Before the connection is closed: a prepared statement keeps its file open. */
export function forgetStatements(connection: DuckDBConnection): void {
  for (const { statement } of kept.get(connection)?.values() ?? []) statement.destroySync();
  kept.delete(connection);
}

/** The same text is checked once: its tables do not change while the connection is open. */
async function checkedStatement(
  connection: DuckDBConnection,
  sql: string,
  request: SqlRequest,
): Promise<CheckedStatement> {
  const known = kept.get(connection) ?? new Map<string, CheckedStatement>();
  kept.set(connection, known);
  const key = JSON.stringify([sql, request.rows, request.isPostgres]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const { tree, ...about } = await check(connection, sql, request);
  const text = await readText(connection, 'select json_deserialize_sql($1::json)', stringifyExact(tree));
  const statement = await prepare(connection, text);
  const checked = { ...about, tree, statement, sql: text, columns: columnsOf(statement) };
  known.set(key, checked);
  const [oldest] = known;
  if (known.size > MAX_KEPT && oldest !== undefined) {
    known.delete(oldest[0]);
    oldest[1].statement.destroySync();
  }
  return checked;
}

function columnsOf(statement: DuckDBPreparedStatement): ResultColumn[] | null {
  try {
    return Array.from({ length: statement.columnCount }, (_, i) => ({
      name: statement.columnName(i),
      type: statement.columnType(i),
    }));
  } catch {
    return null;
  }
}

async function planOf(connection: DuckDBConnection, checked: string, parameters: Parameters<typeof bind>[1]) {
  const statement = await prepare(connection, `explain (format json) ${checked}`);
  try {
    bind(statement, parameters);
    return await explainStatement(statement);
  } catch (error) {
    return rethrowExplained(error);
  } finally {
    statement.destroySync();
  }
}

async function boundColumns(
  connection: DuckDBConnection,
  checked: string,
  parameters: Parameters<typeof bind>[1],
): Promise<ResultColumn[]> {
  const statement = await prepare(connection, `select * from (${checked.replace(/;\s*$/, '')}) limit 0`);
  try {
    bind(statement, parameters);
    const result = await statement.run();
    const types = result.columnTypes();
    return result.columnNames().flatMap((name, i) => (types[i] ? [{ name, type: types[i] }] : []));
  } catch (error) {
    return rethrowExplained(error);
  } finally {
    statement.destroySync();
  }
}

async function check(connection: DuckDBConnection, sql: string, { rows, isPostgres }: SqlRequest) {
  const parsed = await parse(connection, sql);
  if (!isPostgres) return { ...checkTree(parsed, rows), isCatalog: false };
  const adapted = adaptPostgresTree(parsed);
  const checked = checkTree(adapted, rows, CATALOG_VIEWS);
  const isCatalog = readsCatalog(adapted);
  if (isCatalog) await addCatalog(connection);
  return { ...checked, isCatalog };
}

const withCatalog = new WeakSet<DuckDBConnection>();

async function addCatalog(connection: DuckDBConnection): Promise<void> {
  if (withCatalog.has(connection)) return;
  await connection.run(CATALOG_SQL);
  withCatalog.add(connection);
}

async function parse(connection: DuckDBConnection, sql: string): Promise<TreeNode> {
  const tree = await readText(connection, 'select json_serialize_sql($1::varchar)', sql);
  try {
    return parseExact<TreeNode>(tree);
  } catch {
    // The engine writes numbers such as 1e999 as `Infinity`, which is no JSON.
    throw new SqlRefusal('syntax', 'A number of the statement is too large.');
  }
}

async function readText(connection: DuckDBConnection, sql: string, value: string): Promise<string> {
  try {
    const [row] = await (await connection.run(sql, [value])).getRowsJS();
    return String(row?.[0]);
  } catch (error) {
    // The parser has a limit of its own for nested expressions.
    if (/depth/i.test((error as Error).message))
      throw new SqlRefusal('too_deep', 'The statement is nested too deeply.');
    throw new SqlRefusal('syntax', 'The statement cannot be parsed.');
  }
}

async function prepare(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(sql);
  } catch (error) {
    throw explain(error);
  }
}

function bind(statement: DuckDBPreparedStatement, parameters: Readonly<Record<string, SqlScalar>>): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const value = parameters[statement.parameterName(index)] ?? null;
    if (typeof value === 'number' && Number.isSafeInteger(value)) statement.bindBigInt(index, BigInt(value));
    else statement.bindValue(index, value);
  }
}

type Chunks = AsyncIterable<readonly DuckDBValue[][]>;

async function* rowsAtOnce(statement: DuckDBPreparedStatement): AsyncGenerator<DuckDBValue[][]> {
  const result = await statement.run();
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    yield chunk.getRows();
  }
}

async function* rowsOf(stream: () => ReturnType<typeof streamChunks>): AsyncGenerator<DuckDBValue[][]> {
  const { chunks } = await stream();
  for await (const { chunk, rowCount } of chunks) yield chunk.getRows().slice(0, rowCount).map(withoutLast);
}

const withoutLast = (row: DuckDBValue[]): DuckDBValue[] => row.slice(0, -1);

/** Each as JSON. */
async function readRows(chunks: Chunks, max: number, maxBytes: number): Promise<string[]> {
  const rows: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (const row of chunk) {
      const json = JSON.stringify(row.map(toJsonValue));
      // With what is between two rows.
      bytes += Buffer.byteLength(json) + 2;
      if (bytes > maxBytes) {
        throw new SqlRefusal('too_large', 'The answer is too large. Select fewer columns, or set a lower limit.');
      }
      rows.push(json);
    }
    if (rows.length >= max) break;
  }
  return rows;
}

function rethrowExplained(error: unknown): never {
  throw error instanceof SqlRefusal ? error : explain(error);
}

/** By the class of the engine's error: its text may hold values. */
function explain(error: unknown): SqlRefusal {
  const message = (error as Error).message;
  if (/^Out of Memory Error|could not allocate|memory limit/i.test(message)) {
    return new SqlRefusal('too_large', 'The statement needs more memory than it may use.');
  }
  if (/depth|stack/i.test(message)) return new SqlRefusal('too_deep', 'The statement is nested too deeply.');
  const column =
    /column "([^"]{1,80})" not found/i.exec(message)?.[1] ?? /Table "([^"]{1,80})" not found/.exec(message)?.[1];
  if (column !== undefined) {
    return new SqlRefusal('column_unknown', `There is no column ${column}. See query/schema/ for the columns.`);
  }
  if (/^Binder Error.*column/i.test(message)) {
    return new SqlRefusal('column_unknown', 'A column does not exist, or must be in GROUP BY or in an aggregate.');
  }
  if (/^(Binder|Catalog) Error/.test(message)) {
    return new SqlRefusal(
      'syntax',
      'A function or an operator does not take values of these types. Use toFloat(), toString() or cast().',
    );
  }
  if (/^Conversion Error/.test(message)) {
    return new SqlRefusal('syntax', 'A value cannot be converted to the type that is asked for. Use try_cast.');
  }
  return new SqlRefusal('syntax', 'The statement cannot be run.');
}
