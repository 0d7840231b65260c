/** Questions about a site as plain data, which can be sent to the worker and used as a cache key. */
import type { Entity } from '../../../core/actions/entity.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { Interval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { KNOWN_KEYS, TAG_KEYS } from '../../../core/web/session-values.ts';
import type { WebSettings } from '../../../core/web/web-settings.ts';

/** Values of a session that its first view says. */
const ACQUISITION_KEYS = ['channel', 'source', 'referrer'] as const;
const PAGE_KEYS = ['entry', 'exit'] as const;
export const SESSION_KEYS = [...ACQUISITION_KEYS, ...TAG_KEYS, ...PAGE_KEYS, ...KNOWN_KEYS] as const;

export type SessionKey = (typeof SESSION_KEYS)[number];

export const WEB_OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'is_set',
  'is_not_set',
] as const;
type WebOperator = (typeof WEB_OPERATORS)[number];

export interface WebFilter {
  /** `path`: a page that the session saw; `new`: whether the visitor's first view of all lies in the period. */
  key: SessionKey | 'path' | 'new';
  operator: WebOperator;
  /** Several: one of them. */
  values: readonly string[];
}

/** Sessions by what their values do not say: the hour of the week in which they began, and whether the visitor is new. */
export const DERIVED_KEYS = ['hour', 'new'] as const;
export type DerivedKey = (typeof DERIVED_KEYS)[number];

/** What the tables of a site are about: sessions by a value, or views by page. */
export type TableKey = SessionKey | DerivedKey | 'page';

export interface WebQuestion {
  range: Range;
  interval: Interval;
  timezone: string;
  filters: readonly WebFilter[];
  /** Each is fitted by some event of the session. */
  eventFilters: readonly Filter[];
  /** Events that do not fit count as not sent: the project's filters against test accounts. */
  accountFilter: Filter;
  includeBots: boolean;
  includeOwn: boolean;
  settings: WebQuestionSettings;
}

type WebQuestionSettings = Pick<
  WebSettings,
  'bounce_seconds' | 'path_rules' | 'own_domains' | 'channel_rules' | 'hidden_referrers'
>;

/** Up to this many rows of a table, in one of these orders. */
export interface TablePage {
  limit: number;
  offset: number;
  /** Part of the value. */
  search: string;
  order: TableOrder;
}

export const TABLE_ORDERS = ['visitors', '-visitors', 'sessions', '-sessions', 'views', '-views'] as const;
type TableOrder = (typeof TABLE_ORDERS)[number] | 'value';

export interface WebGoalQuestion {
  id: string;
  name: string;
  goal: { kind: 'entity'; entity: Entity } | { kind: 'path'; pattern: string };
}
