import { Type } from '@sinclair/typebox';
import type { JsonObject } from '../../../core/json/json.ts';
import { RAW_CSV_QUERY } from '../../../http/format.ts';
import {
  AnyObject,
  DateTime,
  iso,
  nullable,
  PAGE_QUERY,
  presentUserOrNull,
  UserSummarySchema,
} from '../../../http/schemas/common.ts';
import { digest } from '../../../lib/secrets.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import { StatementWarningsSchema } from '../../sql/api/sql-schemas.ts';
import type { StatementWarning } from '../../sql/rules/statement-warnings.ts';
import type { DashboardTile } from '../store/dashboard-store.ts';
import type { SavedInsight } from '../store/saved-insight-store.ts';

export const SavedInsightSchema = Type.Object({
  id: Type.Integer(),
  short_id: Type.String(),
  name: nullable(Type.String()),
  derived_name: nullable(Type.String()),
  filters: AnyObject,
  query: nullable(AnyObject),
  order: nullable(Type.Integer()),
  deleted: Type.Boolean(),
  dashboards: Type.Array(Type.Integer()),
  dashboard_tiles: Type.Array(
    Type.Object({ id: Type.Integer(), dashboard_id: Type.Integer(), deleted: Type.Boolean() }),
  ),
  last_refresh: nullable(DateTime),
  next_allowed_client_refresh: nullable(DateTime),
  columns: Type.Optional(Type.Array(Type.String(), { description: 'Of a SQL statement, with its answer.' })),
  types: Type.Optional(Type.Array(Type.Array(Type.String()))),
  hasMore: Type.Optional(Type.Boolean()),
  warnings: Type.Optional(StatementWarningsSchema),
  result: Type.Optional(
    Type.Unknown({
      description:
        'As its insight answers; null unless it was asked for with `refresh=true`, absent with `basic=true`.',
    }),
  ),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  description: Type.String(),
  updated_at: DateTime,
  tags: Type.Array(Type.String()),
  favorited: Type.Boolean(),
  saved: Type.Boolean(),
  last_modified_at: DateTime,
  last_modified_by: nullable(UserSummarySchema),
  is_sample: Type.Boolean(),
  effective_restriction_level: Type.Integer(),
  effective_privilege_level: Type.Integer(),
  timezone: Type.String(),
  is_cached: Type.Boolean(),
  filters_hash: Type.String(),
});

/** Restriction: everybody in the project may edit. Privilege: the caller may. */
const EVERYBODY_EDITS = { effective_restriction_level: 21, effective_privilege_level: 37 };

/** What an insight is shown with. */
export interface PresentedWith {
  users: ReadonlyMap<number, User>;
  tiles: readonly DashboardTile[];
  timezone: string;
  /** The filters that it is asked with, where they are not its own. */
  filters?: JsonObject;
  query?: JsonObject | null;
  answer: SavedInsightAnswer;
}

export interface SavedInsightAnswer {
  result: unknown;
  is_cached: boolean;
  last_refresh: string | null;
  /** Of a SQL statement. */
  columns?: string[];
  types?: [string, string][];
  hasMore?: boolean;
  warnings?: StatementWarning[];
}

/** Nobody has asked. */
export const NO_ANSWER: SavedInsightAnswer = { result: null, is_cached: false, last_refresh: null };

export function presentSavedInsight(insight: SavedInsight, setting: PresentedWith) {
  const { users, tiles, timezone, filters = insight.filters, query = insight.query, answer } = setting;
  const { columns, types, hasMore, warnings } = answer;
  return {
    id: insight.id,
    short_id: insight.shortId,
    name: insight.name,
    derived_name: insight.derivedName,
    filters,
    query,
    order: insight.order,
    deleted: insight.deleted,
    dashboards: tiles.map(({ dashboardId }) => dashboardId),
    dashboard_tiles: tiles.map(({ id, dashboardId }) => ({ id, dashboard_id: dashboardId, deleted: false })),
    last_refresh: answer.last_refresh,
    next_allowed_client_refresh: null,
    result: answer.result,
    ...(columns === undefined ? {} : { columns, types, hasMore, warnings }),
    created_at: iso(insight.createdAt),
    created_by: presentUserOrNull(users, insight.createdBy),
    description: insight.description,
    updated_at: iso(insight.updatedAt),
    tags: insight.tags,
    favorited: insight.favorited,
    saved: insight.saved,
    last_modified_at: iso(insight.lastModifiedAt),
    last_modified_by: presentUserOrNull(users, insight.lastModifiedBy),
    is_sample: false,
    ...EVERYBODY_EDITS,
    timezone,
    is_cached: answer.is_cached,
    filters_hash: digest(JSON.stringify([insight.projectId, filters, ...(query === null ? [] : [query])])),
  };
}

export const SavedInsightWriteSchema = Type.Partial(
  Type.Object({
    name: nullable(Type.String({ maxLength: 400 })),
    derived_name: nullable(Type.String({ maxLength: 400 })),
    description: nullable(Type.String({ maxLength: 10_000 })),
    // Forms have texts alone: JSON in a text is read.
    filters: Type.Record(Type.String(), Type.Unknown(), {
      fromText: true,
      description: 'The question, in the fields that its endpoint takes; `insight` says which one that is.',
    }),
    query: Type.Unknown({
      description:
        '`{"kind": "DataVisualizationNode", "source": {"kind": "HogQLQuery", …}}`: a SQL statement instead of filters. Needs the scope `query:read`.',
    }),
    order: nullable(Type.Integer()),
    deleted: Type.Boolean(),
    saved: Type.Boolean(),
    favorited: Type.Boolean(),
    tags: Type.Array(Type.String({ maxLength: 255 }), { fromText: true, maxItems: 1000 }),
    dashboards: nullable(
      Type.Array(Type.Integer(), { fromText: true, maxItems: 1000, description: 'On which it is from now on.' }),
    ),
  }),
);

export const REFRESH_QUERY = {
  refresh: '`true`, or present: answer the question, too.',
  from_dashboard: 'The id of a dashboard whose dates count.',
} as const;

/** Of SQL insights. */
export const ROWS_FILE_QUERY = {
  format: '`csv` or `parquet`: all rows of a SQL insight as a file. Ours.',
  ...RAW_CSV_QUERY,
} as const;

export const BASIC_QUERY = { basic: '`true`: without `result`.' } as const;

export const INSIGHT_LIST_QUERY = {
  ...BASIC_QUERY,
  saved: '`true`: those that were kept on purpose or are on a dashboard.',
  favorited: 'Those that are marked.',
  deleted: '`true`: only deleted ones, which can be restored. Ours.',
  user: 'Present: those of the caller.',
  created_by: 'The id of who made it.',
  insight: '`TRENDS`, `STICKINESS`, `LIFECYCLE`, `FUNNELS`, `RETENTION`, `PATHS` or `SQL`.',
  search: 'Part of a name, the description or a tag.',
  short_id: 'The one of this short id.',
  date_from: 'Modified then or later: `2024-01-31`, an ISO time, or `-7d` and the like.',
  date_to: 'Modified then or earlier.',
  dashboards: 'JSON list of ids: on all of these dashboards.',
  order:
    '`name`, `created_at`, `last_modified_at`, `updated_at` or `my_last_viewed_at`; with `-` in front, downwards. `-last_modified_at` unless given.',
  ...PAGE_QUERY,
} as const;
