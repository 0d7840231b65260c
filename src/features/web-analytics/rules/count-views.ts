/** Counts the views of a period by interval and by page. */
import { type CodeCounts, type Pause, seenVisitors, VisitorRows } from './count-groups.ts';

export interface ViewColumns {
  /** The number of each view's person; those are below `limit`. */
  persons: Int32Array;
  limit: number;
  ticks: Int32Array;
  /** Null where they are not asked for. */
  pages: Int32Array | null;
}

export interface CountedViews {
  /** Without their persons. */
  ticks: CodeCounts;
  /** 1 for each person who has a view. */
  seen: Uint8Array;
  pages: CodeCounts | null;
}

export async function countViews({ persons, limit, ticks, pages }: ViewColumns, pause: Pause): Promise<CountedViews> {
  const rows = new VisitorRows(persons, limit, pause);
  const byTick = await rows.count(ticks, null);
  return {
    ticks: { ...byTick, visitors: new Int32Array(0) },
    seen: seenVisitors(byTick),
    pages: pages === null ? null : await rows.count(pages, null),
  };
}
