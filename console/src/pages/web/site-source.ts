/** Where the tables of a site come from: the API, or a link for people who are not signed in. */
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { type Breakdown, getBreakdown, type WebFields, webCsvPath } from '../../api/web.ts';
import { useProject } from '../../lib/session.ts';

export interface SiteSource {
  breakdown(
    fields: WebFields,
    table: { by: string; search?: string; limit?: number },
    signal: AbortSignal,
  ): Promise<Breakdown>;
  /** Of a table, or of what is counted by day. */
  csvPath(fields: WebFields, by?: string): string;
}

/** Null: the API. */
export const SiteSourceContext = createContext<SiteSource | null>(null);

export function useSiteSource(): SiteSource {
  const { id } = useProject();
  const given = useContext(SiteSourceContext);
  return useMemo(
    () =>
      given ?? {
        breakdown: (fields, table, signal) => getBreakdown(id, fields, table, signal),
        csvPath: (fields, by) => webCsvPath(id, fields, by),
      },
    [given, id],
  );
}
