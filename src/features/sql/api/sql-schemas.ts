import { Type } from '@sinclair/typebox';
import { AnyObject, DateTime, nullable } from '../../../http/schemas/common.ts';

export const QueryBodySchema = Type.Object(
  {
    query: AnyObject,
    refresh: Type.Optional(Type.Unknown()),
    async: Type.Optional(Type.Boolean()),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Rows at most, whatever the statement says; 50,000 at most (`too_many_rows`). Ours.',
      }),
    ),
    client_query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    name: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
);

export const CheckBodySchema = Type.Object(
  {
    query: AnyObject,
    explain: Type.Optional(Type.Boolean({ description: 'Answer with `plan`, too: how the statement would be run.' })),
  },
  { additionalProperties: true },
);

export const StatementWarningsSchema = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }), {
  description:
    'What is missing: `events_left_out` where a project is larger than its copy may be, `rows_left_out` where more rows were asked for than an answer may have. Ours.',
});

const Types = Type.Array(Type.Array(Type.String()), { description: 'Pairs of a column and its type.' });

/** The answer to a statement. Other kinds of queries have fields of their own. */
export const SqlAnswerSchema = Type.Object(
  {
    results: Type.Array(Type.Array(Type.Unknown())),
    columns: Type.Array(Type.String()),
    types: Types,
    hasMore: Type.Boolean(),
    limit: Type.Integer(),
    offset: Type.Integer(),
    timings: Type.Array(Type.Object({ k: Type.String(), t: Type.Number() })),
    is_cached: Type.Boolean(),
    fresh_until: DateTime,
    warnings: StatementWarningsSchema,
  },
  { additionalProperties: true },
);

export const SqlCheckSchema = Type.Object({
  isValid: Type.Boolean(),
  columns: Type.Array(Type.String()),
  types: Types,
  hogql: Type.String(),
  plan: nullable(
    Type.Array(AnyObject, {
      description:
        'Steps with their `name`, `rows` (about how many), `details`, and the steps that they read in `children`. Only with `explain`, and only where events are in DuckDB; null otherwise.',
    }),
  ),
});

const Column = Type.Object({ name: Type.String(), type: Type.String(), description: Type.String() });

export const SqlSchemaSchema = Type.Object({
  tables: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), columns: Type.Array(Column) })),
  functions: Type.Array(Type.String()),
  limits: Type.Object({
    rows: Type.Integer(),
    default_rows: Type.Integer(),
    file_rows: Type.Integer(),
    seconds: Type.Number(),
    memory_mb: Type.Number(),
    answer_bytes: Type.Integer(),
    statements_per_minute: Type.Integer(),
    text_bytes: Type.Integer(),
    tables: Type.Integer(),
    depth: Type.Integer(),
  }),
});

export const QueryStatusSchema = Type.Object({
  query_status: Type.Object(
    {
      id: Type.String(),
      complete: Type.Boolean(),
      error: Type.Boolean(),
      error_message: nullable(Type.String()),
      start_time: DateTime,
      expiration_time: DateTime,
    },
    { additionalProperties: true },
  ),
});
