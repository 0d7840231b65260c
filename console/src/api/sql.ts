import type { Static } from '@sinclair/typebox';
import type { SqlAnswerSchema, SqlSchemaSchema } from '../../../src/features/sql/api/sql-schemas.ts';
import { get, post, projectPath } from './request.ts';

export type SqlAnswer = Static<typeof SqlAnswerSchema>;
export type SqlSchema = Static<typeof SqlSchemaSchema>;

export const sqlBody = (sql: string) => ({ query: { kind: 'HogQLQuery', query: sql } });

export const runSql = (projectId: number, sql: string, signal: AbortSignal): Promise<SqlAnswer> =>
  post<SqlAnswer>(projectPath(projectId, 'query'), { ...sqlBody(sql), refresh: 'force_blocking' }, signal);

export const getSqlSchema = (projectId: number, signal?: AbortSignal): Promise<SqlSchema> =>
  get<SqlSchema>(projectPath(projectId, 'query', 'schema'), undefined, signal);
