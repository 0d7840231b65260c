import type { SavedInsight } from '../../api/insights.ts';
import { pathTo } from '../../lib/route-table.ts';

/** Statements open on the page for SQL. */
export const pathOfInsight = (projectId: number, { id, query }: Pick<SavedInsight, 'id' | 'query'>): string =>
  query === null
    ? (pathTo('insight', { project: projectId, insight: id }) ?? '/')
    : `${pathTo('sql', { project: projectId })}?insight=${id}`;
