/** Links for people who are not signed in, and what they open. */
import type { Static } from '@sinclair/typebox';
import type {
  CreatedPasswordSchema,
  ShareChangeSchema,
  ShareSchema,
} from '../../../src/features/sharing/api/sharing-schemas.ts';
import type {
  WebShareCreateSchema,
  WebShareListSchema,
  WebShareSchema,
} from '../../../src/features/sharing/api/web-share-schemas.ts';
import { get, patch, post, projectPath, remove, request, withQuery } from './request.ts';
import type { Breakdown, Overview, WebFilter } from './web.ts';

export type Share = Static<typeof ShareSchema>;
export type ShareChange = Static<typeof ShareChangeSchema>;

/** What is shared: `['insights', 12]`, `['dashboards', 3]`, `['web_analytics']` or `['web_analytics', 'shares', 5]`. */
export type SharedItem = readonly (string | number)[];

const pathOf = (projectId: number, item: SharedItem, ...more: (string | number)[]): string =>
  projectPath(projectId, ...item, 'sharing', ...more);

export const getShare = (projectId: number, item: SharedItem, signal?: AbortSignal): Promise<Share> =>
  get<Share>(pathOf(projectId, item), undefined, signal);
export const updateShare = (projectId: number, item: SharedItem, body: ShareChange): Promise<Share> =>
  patch<Share>(pathOf(projectId, item), body);
export const refreshShare = (projectId: number, item: SharedItem): Promise<Share> =>
  post<Share>(pathOf(projectId, item, 'refresh'), {});
export const addSharePassword = (projectId: number, item: SharedItem, note: string) =>
  post<Static<typeof CreatedPasswordSchema>>(pathOf(projectId, item, 'passwords'), { note });
export const deleteSharePassword = (projectId: number, item: SharedItem, id: number): Promise<void> =>
  remove(pathOf(projectId, item, 'passwords', id));

export interface SharedInsight {
  name: string;
  description: string;
  filters: Record<string, unknown>;
  result: unknown;
  /** How the rows of a SQL statement are drawn. */
  query?: Record<string, unknown>;
  columns?: string[];
  types?: [string, string][];
  warnings?: { message: string }[];
  last_refresh: string | null;
  error: string | null;
}

/** What `/shared/TOKEN.json` has. */
export interface SharedView {
  kind: 'insight' | 'dashboard' | 'web';
  name: string;
  description: string;
  timezone: string;
  settings: Share['settings'];
  /** Null: visitors cannot choose others. */
  dates: { chosen: string | null; choices: string[] } | null;
  annotations: { content: string; date_marker: string }[];
  tiles: { id: number; layouts: Record<string, unknown>; text: string | null; insight: SharedInsight | null }[];
  overview?: Overview;
}

/** What a visitor chose. */
export interface VisitorChoice {
  dateFrom: string;
  filters: readonly WebFilter[];
}

const choiceQuery = ({ dateFrom, filters }: VisitorChoice): Record<string, string> => ({
  ...(dateFrom === '' ? {} : { date_from: dateFrom }),
  ...(filters.length === 0
    ? {}
    : { filters: JSON.stringify(filters.map(({ key, operator, value }) => ({ key, operator, value }))) }),
});

const sharedPath = (token: string, rest: string): string => `/shared/${encodeURIComponent(token)}${rest}`;

export const getSharedView = (token: string, choice: VisitorChoice, signal?: AbortSignal): Promise<SharedView> =>
  get<SharedView>(sharedPath(token, '.json'), choiceQuery(choice), signal);
export const getSharedTable = (
  token: string,
  choice: VisitorChoice,
  by: string,
  signal?: AbortSignal,
): Promise<Breakdown> => get<Breakdown>(sharedPath(token, '/breakdown.json'), { ...choiceQuery(choice), by }, signal);
/** Of a table, or of what is counted by day. */
export const sharedCsvPath = (token: string, choice: VisitorChoice, by?: string): string =>
  withQuery(sharedPath(token, `/${by === undefined ? 'overview' : 'breakdown'}.csv`), {
    ...choiceQuery(choice),
    ...(by === undefined ? {} : { by }),
  });

export type WebShare = Static<typeof WebShareSchema>;

/** Links to parts of the site. */
export const listWebShares = (projectId: number, signal?: AbortSignal): Promise<Static<typeof WebShareListSchema>> =>
  get(projectPath(projectId, 'web_analytics', 'shares'), undefined, signal);
export const createWebShare = (projectId: number, body: Static<typeof WebShareCreateSchema>): Promise<WebShare> =>
  post(projectPath(projectId, 'web_analytics', 'shares'), body);
export const deleteWebShare = (projectId: number, id: number): Promise<void> =>
  remove(projectPath(projectId, 'web_analytics', 'shares', id));

export const enterSharePassword = (token: string, password: string): Promise<void> =>
  request<void>('POST', `/shared/${encodeURIComponent(token)}`, { body: { password } });
