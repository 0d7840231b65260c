/** Insight queries, and saved insights. */
import type { Static } from '@sinclair/typebox';
import type {
  SavedInsightSchema,
  SavedInsightWriteSchema,
} from '../../../src/features/dashboards/api/saved-insight-schemas.ts';
import type { RetentionAnswerSchema, TrendAnswerSchema } from '../../../src/features/insights/api/insight-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, request, withQuery } from './request.ts';

export type TrendItem = Static<typeof TrendAnswerSchema>['result'][number];
export type RetentionRow = Static<typeof RetentionAnswerSchema>['result'][number];
export type SavedInsight = Static<typeof SavedInsightSchema>;
type SavedInsightWrite = Static<typeof SavedInsightWriteSchema>;

/** The fields of a query, as the API takes them. */
type InsightFields = Readonly<Record<string, unknown>>;

export interface InsightAnswer {
  result: unknown;
  /** The time zone of the dates. */
  timezone: string;
  is_cached: boolean;
  last_refresh: string;
  /** Set when a breakdown has more values than are shown. */
  next?: string | null;
}

const ENDPOINTS: Readonly<Record<string, string>> = { FUNNELS: 'funnel', RETENTION: 'retention', PATHS: 'path' };

export const insightPath = (projectId: number, fields: InsightFields): string =>
  projectPath(projectId, 'insights', ENDPOINTS[String(fields['insight'])] ?? 'trend');

/** The numbers of an insight as a file. `search` is its query in a URL. */
export const insightCsvPath = (projectId: number, fields: InsightFields, name: string, search: string): string =>
  `${withQuery(insightPath(projectId, fields), { format: 'csv', export_name: name })}&${search}`;

interface RunOptions {
  signal?: AbortSignal;
  /** Bypasses the cache. */
  refresh?: boolean;
}

export const runInsight = (
  projectId: number,
  fields: InsightFields,
  options: RunOptions = {},
): Promise<InsightAnswer> =>
  request<InsightAnswer>('POST', insightPath(projectId, fields), {
    body: fields,
    signal: options.signal,
    ...(options.refresh === true && { query: { refresh: true } }),
  });

export interface Correlation {
  event: { event: string };
  success_count: number;
  failure_count: number;
  odds_ratio: number;
  correlation_type: 'success' | 'failure';
  success_people_url: string;
  failure_people_url: string;
}

export const getCorrelation = async (
  projectId: number,
  fields: InsightFields,
  signal: AbortSignal,
): Promise<{ events: Correlation[]; skewed: boolean }> => {
  const path = projectPath(projectId, 'insights', 'funnel', 'correlation');
  const answer = await request<{ result: { events: Correlation[]; skewed: boolean } }>('POST', path, {
    body: fields,
    signal,
  });
  return answer.result;
};

export const listInsights = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<SavedInsight>> =>
  get<Paged<SavedInsight>>(projectPath(projectId, 'insights'), { saved: true, ...query }, signal);

export const getInsight = (projectId: number, id: string, signal?: AbortSignal): Promise<SavedInsight> =>
  get<SavedInsight>(projectPath(projectId, 'insights', id), undefined, signal);

export const createInsight = (projectId: number, body: SavedInsightWrite): Promise<SavedInsight> =>
  post<SavedInsight>(projectPath(projectId, 'insights'), { saved: true, ...body });

export const updateInsight = (projectId: number, id: number, body: SavedInsightWrite): Promise<SavedInsight> =>
  patch<SavedInsight>(projectPath(projectId, 'insights', id), body);

export const markInsightViewed = (projectId: number, id: number): Promise<unknown> =>
  post(projectPath(projectId, 'insights', id, 'viewed'));
