/** What links to a site show: the overview, its tables and files, within the filters of the link. */
import { notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { csvLine } from '../../lib/csv-line.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { WebOverviews } from '../web-analytics/web-overviews.ts';
import type { OpenedShare } from './open-share.ts';
import { maskAddresses } from './rules/public-result.ts';
import { readShareSettings } from './rules/share-settings.ts';
import { readVisitorQuestion, type VisitorQuery } from './rules/visitor-question.ts';
import { requireItem, WHOLE_SITE } from './shares.ts';

interface SiteDeps {
  metadata: MetadataStore;
  webOverviews: WebOverviews;
}

const MAX_TABLE_ROWS = 1000;
const USUAL_DATES = '-7d';
/** Of the page. */
// biome-ignore format: a list
const TABLES = [
  'channel', 'source', 'referrer', 'utm_campaign', 'utm_source', 'utm_medium', 'utm_term', 'utm_content', 'page',
  'entry', 'exit', 'country', 'region', 'city', 'device', 'browser', 'os', 'screen_size',
];

/** The fields of a question about the site. Throws unless the link is to one. */
export async function siteFields(
  { metadata }: SiteDeps,
  { share, project }: OpenedShare,
  query: VisitorQuery,
): Promise<JsonObject> {
  if (share.kind !== 'web') throw notFound();
  const { dateFrom, filters } = readVisitorQuestion(query, readShareSettings(share.settings));
  return {
    date_from: dateFrom ?? USUAL_DATES,
    compare: 'previous_period',
    filters: [...(await filtersOf(metadata, project.id, share.itemId)), ...filters],
  };
}

/** Without its filters a part would be all of the site, so one that was deleted meanwhile opens nothing. */
async function filtersOf({ webShares }: MetadataStore, projectId: number, id: number): Promise<Json[]> {
  if (id === WHOLE_SITE) return [];
  const part = await webShares.get(projectId, id);
  if (part === null) throw notFound();
  return part.filters;
}

export async function siteContent(
  { metadata, webOverviews }: SiteDeps,
  { share, project }: OpenedShare,
  fields: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const overview = await webOverviews.overview(project, { ...fields, tables: TABLES.join(',') }, signal);
  const name = await requireItem(metadata, project.id, share);
  return { name, description: '', overview: maskAddresses(overview), tiles: [] };
}

export const withTable = (fields: JsonObject, by: string): JsonObject => ({ ...fields, by, limit: MAX_TABLE_ROWS });

/** As JSON text. */
export async function siteTable(
  { webOverviews }: SiteDeps,
  { project }: OpenedShare,
  fields: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  return JSON.stringify(maskAddresses(await webOverviews.breakdown(project, fields, signal)));
}

export async function siteCsv(
  { webOverviews }: SiteDeps,
  { project }: OpenedShare,
  fields: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const lines = await webOverviews.csv(project, fields, signal);
  return (maskAddresses(lines) as string[][]).map((line) => csvLine(line)).join('');
}
