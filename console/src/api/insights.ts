/** Questions about many events at once, and those that were kept. */
import { get, patch, post, projectPath, type Query, request } from './request.ts';
import type { Page, SavedInsight, SavedInsightWrite } from './types.ts';

/** A question in the words of the wire. */
export type InsightFields = Readonly<Record<string, unknown>>;

export interface InsightAnswer {
  result: unknown;
  /** Which days are meant. */
  timezone: string;
  is_cached: boolean;
  last_refresh: string;
  /** Of a trend with a breakdown: whether there are more values than are shown. */
  next?: string | null;
}

const ENDPOINTS: Readonly<Record<string, string>> = { FUNNELS: 'funnel', RETENTION: 'retention', PATHS: 'path' };

/** Where a question is asked. */
export const insightPath = (projectId: number, fields: InsightFields): string =>
  projectPath(projectId, 'insights', ENDPOINTS[String(fields['insight'])] ?? 'trend');

export interface AskOptions {
  signal?: AbortSignal;
  /** Anew, even where an answer was kept from before. */
  refresh?: boolean;
}

export const askInsight = (
  projectId: number,
  fields: InsightFields,
  options: AskOptions = {},
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

export const askCorrelation = async (
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

export const listInsights = (projectId: number, query: Query, signal?: AbortSignal): Promise<Page<SavedInsight>> =>
  get<Page<SavedInsight>>(projectPath(projectId, 'insights'), { saved: true, ...query }, signal);

export const readInsight = (projectId: number, id: string, signal?: AbortSignal): Promise<SavedInsight> =>
  get<SavedInsight>(projectPath(projectId, 'insights', id), undefined, signal);

export const createInsight = (projectId: number, body: SavedInsightWrite): Promise<SavedInsight> =>
  post<SavedInsight>(projectPath(projectId, 'insights'), { saved: true, ...body });

export const changeInsight = (projectId: number, id: number, body: SavedInsightWrite): Promise<SavedInsight> =>
  patch<SavedInsight>(projectPath(projectId, 'insights', id), body);

export const noteViewed = (projectId: number, id: number): Promise<unknown> =>
  post(projectPath(projectId, 'insights', id, 'viewed'));
