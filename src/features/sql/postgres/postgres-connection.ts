/**
 * One connection of a PostgreSQL client: simple and extended queries, answered by the same check and process as statements
 * over HTTP. Nothing can be written; transactions are acknowledged and mean nothing.
 */
import { Failure } from '../../../core/errors.ts';
import { postgresType, TEXT } from '../rules/postgres-catalog.ts';
import { NO_PLACEHOLDERS, namePlaceholders, type SqlScalar, splitStatements } from '../rules/prepare-text.ts';
import type { SqlQuery } from '../rules/read-sql-query.ts';
import type { AnsweredSql } from '../sql-queries.ts';
import { joinRows, NO_ROWS, RowReader } from '../sql-rows.ts';
import * as wire from './messages.ts';
import { type SessionStatement, sessionStatement } from './session-statements.ts';
import { decodeParameter, encodeValue } from './wire-values.ts';

interface ConnectionDeps {
  /** Checks again whether the client still may. */
  run(query: SqlQuery, signal: AbortSignal): Promise<AnsweredSql>;
  send(bytes: Buffer): void;
}

interface Prepared {
  sql: string;
  /** Null: for the engine. */
  session: SessionStatement | null;
  parameterOids: number[];
}

/** A statement with its values, or a cursor. */
interface Portal {
  prepared: Prepared;
  values: Record<string, SqlScalar>;
  isBinary(column: number): boolean;
  answer: Answer | null;
  sent: number;
  /** Whether it is there after the end of the transaction. */
  isHeld?: boolean;
}

interface Answer {
  columns: wire.ColumnDescription[];
  rows: RowReader;
  rowCount: number;
  /** Of its rows, while they are kept. */
  bytes: number;
  tag(count: number): string;
}

type DeclareStatement = Extract<SessionStatement, { kind: 'declare' }>;
type FetchStatement = Extract<SessionStatement, { kind: 'fetch' }>;

const ROWS = { byDefault: 1_000_000, max: 1_000_000 };
const MAX_PREPARED = 200;
/** Of the rows that a connection keeps for its cursors and portals. */
const MAX_KEPT_BYTES = 100_000_000;
const NOT_SUPPORTED = '0A000';

export class PostgresConnection {
  readonly #deps: ConnectionDeps;
  readonly #prepared = new Map<string, Prepared>();
  readonly #portals = new Map<string, Portal>();
  #status: 'I' | 'T' | 'E' = 'I';
  /** After an error, until the client says where it goes on. */
  #isSkipping = false;
  #running: AbortController | null = null;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** Ends the statement that is running, if any. */
  cancel(): void {
    this.#running?.abort(new Failure('invalid', 'The statement was cancelled.', { code: 'query_cancelled' }));
  }

  async handle({ kind, body }: wire.WireMessage): Promise<void> {
    if (kind === 'Q') return this.#simple(new wire.FieldReader(body).text());
    if (kind === 'S') {
      this.#isSkipping = false;
      if (this.#status === 'I') this.#endTransaction();
      return this.#ready();
    }
    if (this.#isSkipping) return;
    try {
      await this.#extended(kind, new wire.FieldReader(body));
    } catch (error) {
      if (error instanceof wire.ProtocolError) throw error;
      this.#isSkipping = true;
      this.#fail(error);
    }
  }

  /** Portals and cursors end with it. */
  #endTransaction(): void {
    for (const [name, { isHeld }] of this.#portals) if (isHeld !== true) this.#portals.delete(name);
  }

  #ready(): void {
    this.#deps.send(wire.ready(this.#status));
  }

  #fail(error: unknown): void {
    if (this.#status === 'T') this.#status = 'E';
    this.#deps.send(wire.errorResponse(errorFields(error)));
  }

  async #simple(text: string): Promise<void> {
    this.#isSkipping = false;
    try {
      const statements = splitStatements(text);
      if (statements.length === 0) this.#deps.send(wire.emptyStatement());
      for (const sql of statements) {
        const prepared = { sql, session: sessionStatement(sql), parameterOids: [] };
        const portal: Portal = { prepared, values: {}, isBinary: () => false, answer: null, sent: 0 };
        const { columns } = await this.#answer(portal);
        if (columns.length > 0) this.#deps.send(wire.rowDescription(columns));
        await this.#sendRows(portal, 0);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#ready();
  }

  async #extended(kind: string, fields: wire.FieldReader): Promise<void> {
    switch (kind) {
      case 'P':
        return this.#parse(fields);
      case 'B':
        return this.#bind(fields);
      case 'D':
        return this.#describe(fields);
      case 'E': {
        const portal = this.#portal(fields.text());
        return this.#sendRows(portal, fields.int32());
      }
      case 'C': {
        const isStatement = fields.bytes(1).toString('latin1') === 'S';
        (isStatement ? this.#prepared : this.#portals).delete(fields.text());
        return this.#deps.send(wire.closeComplete());
      }
      case 'H':
        return;
      default:
        throw new Failure('invalid', 'This message of the protocol is not supported.', { code: NOT_SUPPORTED });
    }
  }

  #parse(fields: wire.FieldReader): void {
    const name = fields.text();
    const text = fields.text();
    const given = fields.list(() => fields.int32());
    const [statement = '', ...more] = splitStatements(text);
    if (more.length > 0) throw new Failure('invalid', 'Send one statement at a time.', { code: 'many_statements' });
    const { sql, count } = namePlaceholders(statement);
    if (this.#prepared.size >= MAX_PREPARED && !this.#prepared.has(name)) {
      throw new Failure('invalid', `A connection may prepare ${MAX_PREPARED} statements.`, { code: 'too_long' });
    }
    const parameterOids = Array.from({ length: count }, (_, i) => given[i] || TEXT.oid);
    this.#prepared.set(name, { sql, session: sessionStatement(sql), parameterOids });
    this.#deps.send(wire.parseComplete());
  }

  #bind(fields: wire.FieldReader): void {
    const name = fields.text();
    const prepared = this.#statement(fields.text());
    const formats = fields.list(() => fields.int16());
    const raw = fields.list(() => {
      const length = fields.int32();
      return length < 0 ? null : fields.bytes(length);
    });
    const results = fields.list(() => fields.int16());
    const { parameterOids } = prepared;
    if (raw.length !== parameterOids.length) {
      throw new Failure('invalid', `The statement has ${parameterOids.length} parameters, ${raw.length} were given.`, {
        code: 'bad_parameter',
      });
    }
    const isBinary = (list: readonly number[], at: number): boolean => (list.length === 1 ? list[0] : list[at]) === 1;
    const values = raw.map((bytes, at) => [
      `p${at + 1}`,
      decodeParameter(bytes, parameterOids[at] ?? 0, isBinary(formats, at)),
    ]);
    if (!this.#portals.has(name)) this.#requireRoom();
    this.#portals.set(name, {
      prepared,
      values: Object.fromEntries(values),
      isBinary: (column) => isBinary(results, column),
      answer: null,
      sent: 0,
    });
    this.#deps.send(wire.bindComplete());
  }

  async #describe(fields: wire.FieldReader): Promise<void> {
    const isStatement = fields.bytes(1).toString('latin1') === 'S';
    const name = fields.text();
    const { send } = this.#deps;
    if (!isStatement) {
      const { columns } = await this.#answer(this.#portal(name));
      return send(columns.length === 0 ? wire.noRowsDescription() : wire.rowDescription(columns));
    }
    const prepared = this.#statement(name);
    const { sql, session, parameterOids } = prepared;
    const values = Object.fromEntries(parameterOids.map((_, at) => [`p${at + 1}`, null]));
    const columns =
      session === null && sql !== ''
        ? describe(await this.#run(sql, values, true), () => false)
        : session?.kind === 'fetch'
          ? (await this.#answer(this.#portal(session.cursor))).columns
          : sessionAnswer(session).columns;
    send(wire.parameterTypes(parameterOids));
    send(columns.length === 0 ? wire.noRowsDescription() : wire.rowDescription(columns));
  }

  #statement(name: string): Prepared {
    const prepared = this.#prepared.get(name);
    if (prepared === undefined) throw new Failure('invalid', 'There is no such prepared statement.', { code: '26000' });
    return prepared;
  }

  #portal(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal === undefined) throw new Failure('invalid', 'There is no such portal.', { code: '34000' });
    return portal;
  }

  /** Computed once, by whoever asks first: its description or its rows. */
  async #answer(portal: Portal): Promise<Answer> {
    portal.answer ??= await this.#compute(portal);
    return portal.answer;
  }

  async #compute(portal: Portal): Promise<Answer> {
    const { sql, session } = portal.prepared;
    if (session === null && sql !== '') return this.#select(sql, portal);
    switch (session?.kind) {
      case 'declare':
        return this.#declare(session, portal);
      case 'fetch':
        return this.#fetch(session);
      case 'close':
        if (session.cursor === null) this.#portals.clear();
        else this.#portal(session.cursor);
        this.#portals.delete(session.cursor ?? '');
        return { ...sessionAnswer(null), tag: () => 'CLOSE CURSOR' };
      case 'command':
        if (session.status !== undefined) this.#status = session.status;
        if (session.status === 'I') this.#endTransaction();
        return sessionAnswer(session);
      default:
        return sessionAnswer(session);
    }
  }

  async #select(sql: string, { values, isBinary }: Portal): Promise<Answer> {
    const answered = await this.#run(sql, values, false);
    for (const { message } of answered.warnings) this.#deps.send(wire.notice(message));
    const bytes = answered.rows.length;
    const kept = [...this.#portals.values()].reduce((sum, { answer }) => sum + (answer?.bytes ?? 0), 0);
    if (kept + bytes > MAX_KEPT_BYTES) {
      throw new Failure('invalid', 'The cursors of this connection have too many rows. Close one.', {
        code: 'too_large',
      });
    }
    return {
      columns: describe(answered, isBinary),
      rows: new RowReader(answered),
      rowCount: answered.rowCount,
      bytes,
      tag: (count) => `SELECT ${count}`,
    };
  }

  /** Its rows are kept until they are fetched. */
  async #declare({ cursor, sql, isBinary, isHeld }: DeclareStatement, { values }: Portal): Promise<Answer> {
    if (this.#status === 'I' && !isHeld) {
      throw new Failure('invalid', 'A cursor WITHOUT HOLD needs a transaction: send BEGIN first.', { code: '25P01' });
    }
    if (this.#portals.has(cursor)) {
      throw new Failure('invalid', `There is a cursor ${cursor} already.`, { code: '42P03' });
    }
    this.#requireRoom();
    const prepared = { sql, session: null, parameterOids: [] };
    const declared: Portal = { prepared, values, isBinary: () => isBinary, answer: null, sent: 0, isHeld };
    await this.#answer(declared);
    this.#portals.set(cursor, declared);
    return { ...sessionAnswer(null), tag: () => 'DECLARE CURSOR' };
  }

  async #fetch({ cursor, count }: FetchStatement): Promise<Answer> {
    const from = this.#portal(cursor);
    const answer = await this.#answer(from);
    const rowCount = Math.min(count ?? Infinity, answer.rowCount - from.sent);
    from.sent += rowCount;
    return { ...answer, rowCount, bytes: 0, tag: (sent) => `FETCH ${sent}` };
  }

  #requireRoom(): void {
    if (this.#portals.size < MAX_PREPARED) return;
    throw new Failure('invalid', `A connection may have ${MAX_PREPARED} cursors.`, { code: 'too_long' });
  }

  async #run(sql: string, values: Record<string, SqlScalar>, checkOnly: boolean): Promise<AnsweredSql> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      const placeholders = { ...NO_PLACEHOLDERS, values };
      return await this.#deps.run(
        { sql, placeholders, rows: ROWS, refresh: false, checkOnly, isPostgres: true },
        controller.signal,
      );
    } finally {
      this.#running = null;
    }
  }

  /** `max` 0: all that are left. */
  async #sendRows(portal: Portal, max: number): Promise<void> {
    const { columns, rows, rowCount, tag } = await this.#answer(portal);
    const end = max > 0 ? Math.min(rowCount, portal.sent + max) : rowCount;
    const { send } = this.#deps;
    while (portal.sent < end) {
      const batch = await rows.take(end - portal.sent);
      for (const row of batch) {
        send(wire.dataRow(columns.map(({ oid, isBinary }, at) => encodeValue(row[at], oid, isBinary))));
      }
      portal.sent += batch.length;
    }
    send(end < rowCount ? wire.portalSuspended() : wire.commandComplete(tag(end)));
  }
}

const describe = ({ types }: AnsweredSql, isBinary: (column: number) => boolean): wire.ColumnDescription[] =>
  types.map(([name, type], at) => {
    const { oid, length } = postgresType(type);
    return { name, oid, length, isBinary: isBinary(at) };
  });

function sessionAnswer(session: SessionStatement | null): Answer {
  if (session?.kind !== 'show') {
    const tag = session?.kind === 'command' ? session.tag : '';
    return { columns: [], rows: new RowReader({ rows: NO_ROWS }), rowCount: 0, bytes: 0, tag: () => tag };
  }
  const rows = new RowReader({ rows: joinRows([JSON.stringify([session.value])]) });
  const column = { name: session.name, oid: TEXT.oid, length: TEXT.length, isBinary: false };
  return { columns: [column], rows, rowCount: 1, bytes: 0, tag: () => 'SHOW' };
}

/** PostgreSQL's codes for ours. */
const CODES: Readonly<Record<string, string>> = {
  syntax: '42601',
  many_statements: '42601',
  not_a_select: '25006',
  table_not_allowed: '42P01',
  function_not_allowed: '42883',
  column_unknown: '42703',
  bad_parameter: '22023',
  too_long: '54000',
  too_deep: '54001',
  too_large: '53200',
  too_slow: '57014',
  query_cancelled: '57014',
  busy: '53300',
};

export function errorFields(error: unknown): { code: string; text: string } {
  // What else is thrown is logged by the server, and tells nothing to the client.
  if (!(error instanceof Failure)) return { code: 'XX000', text: 'A server error occurred.' };
  const { code = '' } = error;
  const known = CODES[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? code : undefined);
  return { code: known ?? (error.kind === 'throttled' ? '53400' : '42000'), text: error.message };
}
