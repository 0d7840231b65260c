/** The overview of a site for visitors: they look around in what the link shows, and see no persons and no sessions. */
import '../web/web-page.css';
import { useMemo } from 'preact/hooks';
import { getSharedTable, type Share, sharedCsvPath, type VisitorChoice } from '../../api/sharing.ts';
import type { Overview } from '../../api/web.ts';
import { Empty } from '../../components/states.tsx';
import { Attribution } from '../web/attribution.tsx';
import { OverTime } from '../web/over-time.tsx';
import { type SiteSource, SiteSourceContext } from '../web/site-source.ts';
import { Cards, useTabs } from '../web/web-cards.tsx';
import { Chips } from '../web/web-controls.tsx';
import { useWebState } from '../web/web-state.ts';

interface SharedSiteProps {
  token: string;
  overview: Overview;
  settings: Share['settings'];
  choice: VisitorChoice;
}

export function SharedSite({ token, overview, settings, choice }: SharedSiteProps) {
  const state = { ...useWebState(), isFixed: !settings.allowFilters };
  const [tabs, setTab] = useTabs();
  const source = useMemo(() => sharedSource(token, choice), [token, choice]);
  if (!overview.has_data) return <Empty title="No visitors yet">The numbers appear with the first page view.</Empty>;
  return (
    <SiteSourceContext.Provider value={source}>
      <div class="stack">
        {!state.isFixed && choice.filters.length > 0 && <Chips state={state} />}
        <OverTime overview={overview} csvPath={sharedCsvPath(token, choice)} />
        <div class="web-cards">
          <Cards overview={overview} state={state} tabs={tabs} setTab={setTab} />
        </div>
        <Attribution />
      </div>
    </SiteSourceContext.Provider>
  );
}

/** Links have no search of their own, by which masked values could be guessed: it is done here. */
const sharedSource = (token: string, choice: VisitorChoice): SiteSource => ({
  async breakdown(_fields, { by, search = '' }, signal) {
    const table = await getSharedTable(token, choice, by, signal);
    if (search === '') return table;
    const rows = table.rows.filter(([value]) => String(value).toLowerCase().includes(search.toLowerCase()));
    return { ...table, rows, total: rows.length, more: false };
  },
  csvPath: (_fields, by) => sharedCsvPath(token, choice, by),
});
