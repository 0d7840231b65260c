/** Suggestions for the values of session properties. */
import { sessionTable } from '../lib/session-properties.ts';
import { getBreakdown, type WebFields } from './web.ts';

const ALL_VISITORS: WebFields = {
  date_from: '-30d',
  filters: [],
  include_bots: true,
  include_own: true,
  filter_test_accounts: false,
};

const MAX_SUGGESTIONS = 30;

export async function findSessionValues(
  projectId: number,
  key: string,
  search: string,
  signal: AbortSignal,
): Promise<string[]> {
  if (key === '$is_bounce') return ['true', 'false'].filter((one) => one.includes(search));
  const by = sessionTable(key);
  if (by === null) return [];
  const { rows } = await getBreakdown(projectId, ALL_VISITORS, { by, search, limit: MAX_SUGGESTIONS }, signal);
  return rows.map(([value]) => String(value)).filter((value) => value !== '(none)');
}
