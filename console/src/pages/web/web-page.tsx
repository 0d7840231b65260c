import './web-page.css';
import { useState } from 'preact/hooks';
import { getOverview, type Overview, webCsvPath } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { SiteLinksDialog } from '../sharing/site-links-dialog.tsx';
import { Attribution } from './attribution.tsx';
import { GoalsCard } from './goals-card.tsx';
import { LeftOut } from './left-out.tsx';
import { LiveVisitors } from './live-visitors.tsx';
import { OverTime } from './over-time.tsx';
import { SessionsDialog } from './sessions-dialog.tsx';
import { SiteSetup } from './site-setup.tsx';
import { SpeedCard } from './speed-card.tsx';
import { type CardName, Cards, type CardTabs, useTabs } from './web-cards.tsx';
import { Controls } from './web-controls.tsx';
import { useWebState, type WebState } from './web-state.ts';

/** Always loaded, so that changing tabs needs no request. */
const USUAL_TABLES = ['channel', 'source', 'page', 'entry', 'exit', 'country', 'device', 'browser', 'os', 'host'];

export function Page() {
  const { id } = useProject();
  const state = useWebState();
  const [tabs, setTab] = useTabs();
  const tables = [...new Set([...USUAL_TABLES, ...Object.values(tabs)])];
  const overview = useResource(
    (signal) => getOverview(id, state.fields, tables, signal),
    [id, JSON.stringify(state.fields), tables.join()],
  );
  const { data } = overview;
  const [isSharing, setSharing] = useState(false);
  const isWaiting = data !== undefined && !data.has_data;
  return (
    <PageFrame
      title="Web analytics"
      lead={<LiveVisitors />}
      actions={!isWaiting && <Button onClick={() => setSharing(true)}>Share</Button>}
    >
      {!isWaiting && <Controls state={state} overview={data} />}
      <div aria-busy={overview.loading}>
        <Loaded resource={overview}>
          {(found) =>
            found.has_data ? (
              <Site overview={found} state={state} tabs={tabs} setTab={setTab} reload={overview.reload} />
            ) : (
              <SiteSetup onFound={overview.reload} />
            )
          }
        </Loaded>
      </div>
      {isSharing && <SiteLinksDialog filters={state.fields.filters} onClose={() => setSharing(false)} />}
    </PageFrame>
  );
}

interface SiteProps {
  overview: Overview;
  state: WebState;
  tabs: CardTabs;
  setTab(card: CardName, table: string): void;
  reload(): void;
}

function Site({ overview, state, tabs, setTab, reload }: SiteProps) {
  return (
    <div class="stack">
      <LeftOut overview={overview} state={state} />
      <SiteOverTime overview={overview} state={state} />
      <div class="web-cards">
        <Cards overview={overview} state={state} tabs={tabs} setTab={setTab} hints={HINTS} />
        <GoalsCard goals={overview.goals} state={state} onChanged={reload} />
        {Object.values(overview.vitals).some(({ n }) => n > 0) && <SpeedCard vitals={overview.vitals} />}
      </div>
      <Attribution />
    </div>
  );
}

function SiteOverTime({ overview, state }: Pick<SiteProps, 'overview' | 'state'>) {
  const { id } = useProject();
  const [isListing, setListing] = useState(false);
  const sessions = (
    <Button small onClick={() => setListing(true)}>
      View sessions
    </Button>
  );
  return (
    <>
      <OverTime overview={overview} csvPath={webCsvPath(id, state.fields)} actions={sessions}>
        <NewVisitors overview={overview} />
      </OverTime>
      {isListing && <SessionsDialog state={state} onClose={() => setListing(false)} />}
    </>
  );
}

/** Without cookies, who comes back tomorrow is new again. */
const MANY_COOKIELESS = 0.1;

function NewVisitors({ overview: { totals, cookieless_share: cookieless } }: Pick<SiteProps, 'overview'>) {
  const [all, fresh] = [totals.visitors.value ?? 0, totals.new_visitors.value ?? 0];
  if (all === 0) return null;
  const views = totals.views_per_session.value;
  return (
    <p class="small muted">
      {formatPercent(fresh / all)} of visitors are new
      {views !== null && <>, {formatNumber(Math.round(views * 10) / 10)} page views per session</>}.
      {cookieless > MANY_COOKIELESS &&
        ` ${formatPercent(cookieless)} of page views are by visitors without cookies, who count as new every day.`}
    </p>
  );
}

const HINTS: Readonly<Record<string, string>> = {
  country: 'Addresses are private here: behind a proxy, set TRUST_PROXY so that the server sees those of visitors.',
  region: 'Regions need a file of places: set GEOIP_FILE.',
  city: 'Cities need a file of places: set GEOIP_FILE.',
};
