/** Links for people who are not signed in, and what they open. */
import type { Static } from '@sinclair/typebox';
import type {
  CreatedPasswordSchema,
  ShareChangeSchema,
  ShareSchema,
} from '../../../src/features/sharing/api/sharing-schemas.ts';
import { get, patch, post, projectPath, remove, request } from './request.ts';
import type { Overview } from './web.ts';

export type Share = Static<typeof ShareSchema>;
export type ShareChange = Static<typeof ShareChangeSchema>;

/** What is shared: `['insights', 12]`, `['dashboards', 3]` or `['web_analytics']`. */
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

export const getSharedView = (token: string, dateFrom: string, signal?: AbortSignal): Promise<SharedView> =>
  get<SharedView>(`/shared/${encodeURIComponent(token)}.json`, { date_from: dateFrom }, signal);
export const enterSharePassword = (token: string, password: string): Promise<void> =>
  request<void>('POST', `/shared/${encodeURIComponent(token)}`, { body: { password } });
