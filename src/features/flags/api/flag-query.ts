/** Query parameters of the list of flags. Invalid values count as absent. */

import type { EvaluationRuntime } from '../../../core/flag-options.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { type FlagOrder, type FlagQuery, type FlagType, SORTABLE_FIELDS } from '../manage/list-flags.ts';

export const FLAG_QUERY = {
  active: '`true`, `false`, or `STALE`: not changed for 30 days, and the same value for everybody or not evaluated.',
  stale: '`true`: the same as `active=STALE`. Ours.',
  deleted: '`true`: only deleted flags, which can be restored. Ours.',
  created_by_id: 'ID of the user who created it.',
  search: 'Part of the key or name.',
  type: '`boolean`, `multivariant`, `experiment` or `remote_config`.',
  evaluation_runtime: '`all`, `client` or `server`.',
  excluded_properties: 'JSON list of keys to leave out.',
  tags: 'JSON list: flags with any of these tags.',
  order: 'A field, such as `key` or `-updated_at`; newest first by default.',
} as const;

const TYPES: readonly FlagType[] = ['boolean', 'multivariant', 'experiment', 'remote_config'];
const RUNTIMES: readonly EvaluationRuntime[] = ['all', 'client', 'server'];

export function readFlagQuery(query: Query): FlagQuery {
  const text = (name: keyof typeof FLAG_QUERY): string => queryText(query, name) ?? '';
  const parsed = {
    active: text('stale') === 'true' ? 'STALE' : readActive(text('active')),
    createdBy: /^\d{1,15}$/.test(text('created_by_id')) ? Number(text('created_by_id')) : undefined,
    search: text('search') === '' ? undefined : text('search'),
    type: TYPES.find((type) => type === text('type')),
    evaluationRuntime: RUNTIMES.find((runtime) => runtime === text('evaluation_runtime')),
    excludedKeys: readJsonList(text('excluded_properties')),
    tags: readJsonList(text('tags'))?.map((tag) => tag.trim().toLowerCase()),
    order: readOrder(text('order')),
  };
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

export const asksForDeleted = (query: Query): boolean => queryText(query, 'deleted') === 'true';

const readActive = (text: string): FlagQuery['active'] => {
  if (text === 'STALE') return 'STALE';
  return text === 'true' ? true : text === 'false' ? false : undefined;
};

/** An empty list counts as absent. */
function readJsonList(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.length > 0 ? list.filter((one) => typeof one === 'string') : undefined;
  } catch {
    return undefined;
  }
}

const API_FIELDS: Readonly<Record<string, FlagOrder['by']>> = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  created_by: 'createdBy',
};

function readOrder(text: string): FlagOrder | undefined {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const by = Object.hasOwn(API_FIELDS, name) ? API_FIELDS[name] : SORTABLE_FIELDS.find((order) => order === name);
  return by === undefined ? undefined : { by, descending };
}
