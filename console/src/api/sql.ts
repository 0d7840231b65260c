import type { Static } from '@sinclair/typebox';
import type { SqlAnswerSchema, SqlSchemaSchema } from '../../../src/features/sql/api/sql-schemas.ts';
import { get, post, projectPath } from './request.ts';

export type SqlAnswer = Static<typeof SqlAnswerSchema>;
export type SqlSchema = Static<typeof SqlSchemaSchema>;

export const sqlBody = (sql: string) => ({ query: { kind: 'HogQLQuery', query: sql } });

export const runSql = (projectId: number, sql: string, signal: AbortSignal): Promise<SqlAnswer> =>
  post<SqlAnswer>(projectPath(projectId, 'query'), { ...sqlBody(sql), refresh: 'force_blocking' }, signal);

interface RunOptions {
  signal: AbortSignal;
  /** Bypasses what is kept. */
  refresh: boolean;
}

/** A saved statement, with what is around it. */
export const runSqlNode = (projectId: number, node: SqlNode, { signal, refresh }: RunOptions): Promise<SqlAnswer> =>
  post<SqlAnswer>(
    projectPath(projectId, 'query'),
    { query: node, refresh: refresh ? 'force_blocking' : 'blocking' },
    signal,
  );

/** As PostHog saves statements. */
export type SqlNode = Record<string, unknown>;

const objectOf = (value: unknown): SqlNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SqlNode) : {};

export function statementOf(node: unknown): string | null {
  const { query } = objectOf(objectOf(node)['source']);
  return typeof query === 'string' ? query : null;
}

/** Values, variables and the rest of `saved` stay as they are. */
export const sqlNode = (sql: string, display: string | null, saved: unknown): SqlNode => ({
  ...objectOf(saved),
  kind: 'DataVisualizationNode',
  source: { ...objectOf(objectOf(saved)['source']), kind: 'HogQLQuery', query: sql },
  ...(display === null ? {} : { display }),
});

/** Dates count instead of those of the statement. */
export function withSqlDates(node: SqlNode, dates: Readonly<Record<string, unknown>>): SqlNode {
  const { date_from, date_to } = dates;
  if (date_from === undefined && date_to === undefined) return node;
  const source = objectOf(node['source']);
  return {
    ...node,
    source: { ...source, filters: { ...objectOf(source['filters']), dateRange: { date_from, date_to } } },
  };
}

export const getSqlSchema = (projectId: number, signal?: AbortSignal): Promise<SqlSchema> =>
  get<SqlSchema>(projectPath(projectId, 'query', 'schema'), undefined, signal);
