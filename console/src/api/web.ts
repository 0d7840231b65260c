/** How a site is doing. */
import type { Static } from '@sinclair/typebox';
import type {
  BreakdownSchema,
  LiveSchema,
  OverviewSchema,
  SessionsSchema,
  SiteStatusSchema,
} from '../../../src/features/web-analytics/api/web-schemas.ts';
import { get, post, projectPath, withQuery } from './request.ts';

export type Overview = Static<typeof OverviewSchema>;
export type Breakdown = Static<typeof BreakdownSchema>;
type Live = Static<typeof LiveSchema>;
type SiteStatus = Static<typeof SiteStatusSchema>;
export type WebTable = Overview['tables'][string];
export type WebNumbers = Exclude<WebTable['rows'][number][number], string>;

type WebSessions = Static<typeof SessionsSchema>;
export type WebSession = WebSessions['results'][number];

export interface WebFilter {
  key: string;
  operator: 'exact' | 'is_not' | 'icontains' | 'not_icontains' | 'regex' | 'is_set' | 'is_not_set';
  value: string;
  /** As in insights: some event of the session fits. */
  type?: 'hogql';
  /** What the page calls it; the server does not care. */
  label?: string;
}

/** The fields of a question, as the API takes them. */
export interface WebFields {
  date_from: string;
  date_to?: string | undefined;
  compare?: string | undefined;
  filters: readonly WebFilter[];
  include_bots: boolean;
  include_own: boolean;
  filter_test_accounts: boolean;
}

const path = (projectId: number, name: string): string => projectPath(projectId, 'web_analytics', name);

export const getOverview = (
  projectId: number,
  fields: WebFields,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<Overview> => post(path(projectId, 'overview'), { ...fields, tables: tables.join(',') }, signal);

export const getBreakdown = (
  projectId: number,
  fields: WebFields,
  table: { by: string; search?: string; limit?: number },
  signal: AbortSignal,
): Promise<Breakdown> => post(path(projectId, 'breakdown'), { ...fields, limit: 500, ...table }, signal);

export const listWebSessions = (
  projectId: number,
  fields: WebFields,
  page: { limit: number; offset: number },
  signal: AbortSignal,
): Promise<WebSessions> => post(path(projectId, 'sessions'), { ...fields, ...page }, signal);

export const getLive = (projectId: number, signal: AbortSignal): Promise<Live> =>
  get(path(projectId, 'live'), {}, signal);

export const getSiteStatus = (projectId: number, signal: AbortSignal): Promise<SiteStatus> =>
  get(path(projectId, 'status'), {}, signal);

/** The same numbers as a file. */
export const webCsvPath = (projectId: number, fields: WebFields, by?: string): string =>
  withQuery(`/api/projects/${projectId}/web_analytics/${by === undefined ? 'overview' : 'breakdown'}.csv`, {
    ...fields,
    filters: JSON.stringify(fields.filters),
    ...(by === undefined ? {} : { by, limit: 1000 }),
  });
