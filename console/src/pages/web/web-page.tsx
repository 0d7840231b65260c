import './web-page.css';
import { useRef } from 'preact/hooks';
import { getLive, getOverview, getSiteStatus, type Overview, webCsvPath } from '../../api/web.ts';
import { ExportItems } from '../../charts/export-items.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Code } from '../../components/code.tsx';
import { DateRange } from '../../components/date-range.tsx';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Loaded, type Tone } from '../../components/states.tsx';
import { formatNumber, formatPercent, pluralize } from '../../lib/numbers.ts';
import { publicUrl } from '../../lib/public-url.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { snippetsFor } from '../onboarding/snippets.ts';
import { WebCard } from './web-card.tsx';
import { TABLE_LABELS, useWebState, valueLabel, type WebState } from './web-state.ts';
import { isMetric, Tiles, WebChart } from './web-tiles.tsx';

const CARDS = {
  sources: { title: 'Sources', tabs: ['channel', 'source', 'referrer', 'utm_campaign'] },
  pages: { title: 'Pages', tabs: ['page', 'entry', 'exit'] },
  places: { title: 'Places', tabs: ['country', 'region', 'city'] },
  devices: { title: 'Devices', tabs: ['device', 'browser', 'os', 'screen_size'] },
} as const;

type CardName = keyof typeof CARDS;
const CARD_NAMES = Object.keys(CARDS) as CardName[];

/** Always loaded, so that changing tabs needs no request. */
const USUAL_TABLES = ['channel', 'source', 'page', 'entry', 'exit', 'country', 'device', 'browser', 'os'];

const COMPARISONS = [
  { value: 'previous_period', label: 'Compare to previous period' },
  { value: 'previous_year', label: 'Compare to previous year' },
  { value: 'none', label: 'No comparison' },
];

const LIVE_MS = 15_000;
const WAITING_MS = 3000;

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
  const isWaiting = data !== undefined && !data.has_data;
  return (
    <PageFrame title="Web analytics" lead={<LiveVisitors />}>
      {!isWaiting && <Controls state={state} />}
      <div aria-busy={overview.loading}>
        <Loaded resource={overview}>
          {(found) =>
            found.has_data ? (
              <Site overview={found} state={state} tabs={tabs} setTab={setTab} />
            ) : (
              <Waiting onFound={overview.reload} />
            )
          }
        </Loaded>
      </div>
    </PageFrame>
  );
}

/** The selected tab of each card. */
function useTabs(): [Record<CardName, string>, (card: CardName, table: string) => void] {
  const states = {
    sources: useQueryState('sources', CARDS.sources.tabs[0]),
    pages: useQueryState('pages', CARDS.pages.tabs[0]),
    places: useQueryState('places', CARDS.places.tabs[0]),
    devices: useQueryState('devices', CARDS.devices.tabs[0]),
  };
  const selected = CARD_NAMES.map((name) => {
    const [value] = states[name];
    const known: readonly string[] = CARDS[name].tabs;
    return [name, known.includes(value) ? value : CARDS[name].tabs[0]] as const;
  });
  return [Object.fromEntries(selected) as Record<CardName, string>, (card, table) => states[card][1](table)];
}

function Controls({ state }: { state: WebState }) {
  return (
    <div class="stack-s">
      <div class="row-end">
        <DateRange value={state.range} onChange={state.setRange} />
        <Select label="Comparison" value={state.compare} options={COMPARISONS} onChange={state.setCompare} />
      </div>
      {state.fields.filters.length > 0 && (
        <div class="chips">
          {state.fields.filters.map(({ key, value }) => (
            <Chip
              key={`${key} ${value}`}
              kind="Filter"
              label={`${TABLE_LABELS[key] ?? key}: ${valueLabel(key, value)}`}
              onRemove={() => state.toggle(key, value)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function LiveVisitors() {
  const { id } = useProject();
  const live = useResource((signal) => getLive(id, signal), [id]);
  useInterval(live.reload, LIVE_MS);
  if (live.data === undefined) return null;
  const { visitors, pages } = live.data;
  const counts = new Map<string, number>();
  for (const { path } of pages) counts.set(path, (counts.get(path) ?? 0) + 1);
  const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, 3);
  return (
    <span class="web-live" role="status">
      <i aria-hidden="true" /> {visitors === 1 ? '1 person' : `${formatNumber(visitors)} people`} now
      {top.length > 0 && <span class="muted"> on {top.map(([path]) => path).join(', ')}</span>}
    </span>
  );
}

interface SiteProps {
  overview: Overview;
  state: WebState;
  tabs: Record<CardName, string>;
  setTab(card: CardName, table: string): void;
}

function Site({ overview, state, tabs, setTab }: SiteProps) {
  const { id } = useProject();
  const [chosen, setMetric] = useQueryState('metric', 'visitors');
  const metric = isMetric(chosen) ? chosen : 'visitors';
  const picture = useRef<HTMLDivElement>(null);
  return (
    <div class="stack">
      <LeftOut overview={overview} state={state} />
      <Tiles overview={overview} selected={metric} onSelect={setMetric} />
      <section class="card stack-s" aria-label="Over time">
        <div class="web-chart-head">
          <h2>Over time</h2>
          <Menu label="Export">
            <ExportItems
              name="web-analytics"
              csv={webCsvPath(id, state.fields)}
              link={location.href}
              picture={() => picture.current}
            />
          </Menu>
        </div>
        <div ref={picture}>
          <WebChart overview={overview} metric={metric} />
        </div>
      </section>
      <div class="web-cards">
        {CARD_NAMES.map((name) => (
          <WebCard
            key={name}
            title={CARDS[name].title}
            tabs={CARDS[name].tabs}
            selected={tabs[name]}
            onSelect={(table) => setTab(name, table)}
            table={overview.tables[tabs[name]]}
            visitors={overview.totals.visitors.value ?? 0}
            state={state}
            hint={HINTS[tabs[name]]}
          />
        ))}
        {overview.goals.length > 0 && <Goals goals={overview.goals} />}
        {Object.values(overview.vitals).some(({ n }) => n > 0) && <Speed vitals={overview.vitals} />}
      </div>
    </div>
  );
}

const HINTS: Readonly<Record<string, string>> = {
  country: 'Addresses are private here: behind a proxy, set TRUST_PROXY so that the server sees those of visitors.',
  region: 'Regions need a file of places: set GEOIP_FILE.',
  city: 'Cities need a file of places: set GEOIP_FILE.',
};

/** Views by bots and one's own are one click away. */
function LeftOut({ overview, state }: Pick<SiteProps, 'overview' | 'state'>) {
  const { bots, own, hidden } = overview.left_out;
  const parts = [
    ...(bots > 0 ? [`${pluralize(bots, 'view')} by bots`] : []),
    ...(own > 0 ? [`${formatNumber(own)} of your own`] : []),
    ...(hidden > 0 ? [`${formatNumber(hidden)} from hidden referrers`] : []),
  ];
  if (state.fields.include_bots) {
    return (
      <p class="small muted">
        Bots and your own visits are counted.{' '}
        <Button kind="quiet" small onClick={() => state.showAll(false)}>
          Hide
        </Button>
      </p>
    );
  }
  if (parts.length === 0) return null;
  return (
    <p class="small muted">
      {parts.join(' and ')} not counted.{' '}
      <Button kind="quiet" small onClick={() => state.showAll(true)}>
        Show
      </Button>
    </p>
  );
}

const Goals = ({ goals }: Pick<Overview, 'goals'>) => (
  <section class="card stack-s web-card" aria-label="Goals">
    <h2>Goals</h2>
    <table class="web-rows">
      <thead>
        <tr>
          <th>Goal</th>
          <th class="number">Converted</th>
          <th class="number">Rate</th>
        </tr>
      </thead>
      <tbody>
        {goals.map(({ id, name, converters, rate }) => (
          <tr key={id}>
            <td>{name}</td>
            <td class="number">{formatNumber(converters)}</td>
            <td class="number">{rate === null ? '–' : formatPercent(rate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const BANDS: Readonly<Record<string, { label: string; tone: Tone }>> = {
  good: { label: 'Good', tone: 'good' },
  needs_improvements: { label: 'Needs improvement', tone: 'warn' },
  poor: { label: 'Poor', tone: 'bad' },
};

const Speed = ({ vitals }: Pick<Overview, 'vitals'>) => (
  <section class="card stack-s web-card" aria-label="Speed">
    <h2>Speed</h2>
    <table class="web-rows">
      <tbody>
        {Object.entries(vitals).map(([name, { p75, band }]) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="number">{p75 === null ? '–' : `${formatNumber(p75)}${name === 'CLS' ? '' : ' ms'}`}</td>
            <td>{band !== null && <Badge tone={BANDS[band]?.tone ?? 'neutral'}>{BANDS[band]?.label}</Badge>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** Ends by itself with the first page view. */
function Waiting({ onFound }: { onFound(): void }) {
  const { id, api_token: key } = useProject();
  const status = useResource((signal) => getSiteStatus(id, signal), [id]);
  useInterval(() => (status.data?.has_data ? onFound() : status.reload()), WAITING_MS);
  const snippet = snippetsFor(publicUrl(), key).find((one) => one.id === 'web');
  return (
    <section class="card stack-s" aria-label="Setup">
      <h2>Waiting for the first page view</h2>
      <p>Add this to every page of your site. The numbers appear here by themselves.</p>
      {snippet && <Code text={snippet.code} label="Code for the web" />}
      <p>
        <Link to={pathTo('welcome', { project: id }) ?? '/'}>Other platforms</Link>
      </p>
    </section>
  );
}
