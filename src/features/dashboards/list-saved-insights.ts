/** Filters and sorts saved insights, in memory: a project has some hundreds. */

import type { Page, Paged } from '../../stores/metadata/page.ts';
import type { SavedInsight } from './store/saved-insight-store.ts';

export interface SavedInsightQuery {
  /** True: saved, or on a dashboard. */
  saved?: boolean;
  favorited?: boolean;
  createdBy?: number;
  /** The kind of insight in its filters: `TRENDS` and so on. */
  insight?: string;
  /** Part of the name, the description or a tag. */
  search?: string;
  shortId?: string;
  /** Bounds of the last modification, both inclusive. */
  from?: number;
  to?: number;
  /** On all of these. */
  dashboards?: readonly number[];
  order?: SavedInsightOrder;
}

const SAVED_INSIGHT_ORDERS = ['name', 'createdAt', 'lastModifiedAt', 'updatedAt', 'viewedAt'] as const;

export interface SavedInsightOrder {
  by: (typeof SAVED_INSIGHT_ORDERS)[number];
  descending: boolean;
}

/** What else is known about insights, by id. */
interface SavedInsightContext {
  /** The dashboards that each is on. */
  dashboards: ReadonlyMap<number, readonly number[]>;
  /** When the caller last viewed each. */
  views: ReadonlyMap<number, number>;
}

/** `all` is sorted by last modification, newest first. */
export function listSavedInsights(
  all: readonly SavedInsight[],
  question: SavedInsightQuery,
  about: SavedInsightContext,
  { limit, offset }: Page,
): Paged<SavedInsight> {
  const found = all.filter((insight) => matchesQuery(insight, question, about.dashboards.get(insight.id) ?? []));
  const sorted = question.order ? sortInsights(found, question.order, about.views) : found;
  return { count: found.length, items: sorted.slice(offset, offset + limit) };
}

function matchesQuery(insight: SavedInsight, question: SavedInsightQuery, on: readonly number[]): boolean {
  const { saved, favorited, createdBy, shortId, from, to, dashboards = [] } = question;
  return (
    (saved === undefined || saved === (insight.saved || on.length > 0)) &&
    (favorited === undefined || favorited === insight.favorited) &&
    (createdBy === undefined || createdBy === insight.createdBy) &&
    (shortId === undefined || shortId === insight.shortId) &&
    (from === undefined || insight.lastModifiedAt >= from) &&
    (to === undefined || insight.lastModifiedAt <= to) &&
    dashboards.every((id) => on.includes(id)) &&
    isOfKind(insight, question.insight) &&
    matchesSearch(insight, question.search)
  );
}

/** Filters without a kind are trends. */
const isOfKind = ({ filters, query }: SavedInsight, kind: string | undefined): boolean =>
  kind === undefined ||
  String(query === null ? (filters['insight'] ?? 'TRENDS') : 'SQL').toUpperCase() === kind.toUpperCase();

function matchesSearch({ name, derivedName, description, tags }: SavedInsight, search = ''): boolean {
  const part = search.toLowerCase();
  return [name ?? '', derivedName ?? '', description, ...tags].some((text) => text.toLowerCase().includes(part));
}

/** Stable; insights that were never viewed count as viewed at 0. */
function sortInsights(
  insights: readonly SavedInsight[],
  { by, descending }: SavedInsightOrder,
  views: ReadonlyMap<number, number>,
): SavedInsight[] {
  const sign = descending ? -1 : 1;
  const value = (insight: SavedInsight): string | number => {
    if (by === 'name') return (insight.name ?? insight.derivedName ?? '').toLowerCase();
    return by === 'viewedAt' ? (views.get(insight.id) ?? 0) : insight[by];
  };
  return insights.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    return left === right ? 0 : sign * (left < right ? -1 : 1);
  });
}
