/** The ranked lists of a site. */
import type { Overview } from '../../api/web.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { LazyMap } from './lazy-map.tsx';
import { TAG_TABLES, WebCard } from './web-card.tsx';
import type { WebState } from './web-state.ts';

const CARDS = {
  pages: { title: 'Pages', tabs: ['page', 'entry', 'exit'] },
  sources: { title: 'Sources', tabs: ['channel', 'source', 'referrer', 'utm_campaign'] },
  places: { title: 'Places', tabs: ['country', 'region', 'city'] },
  devices: { title: 'Devices', tabs: ['device', 'browser', 'os', 'screen_size'] },
} as const;

export type CardName = keyof typeof CARDS;
const CARD_NAMES = Object.keys(CARDS) as CardName[];

/** The selected tab of each card. */
export type CardTabs = Record<CardName, string>;

export function useTabs(): [CardTabs, (card: CardName, table: string) => void] {
  const states = {
    pages: useQueryState('pages', CARDS.pages.tabs[0]),
    sources: useQueryState('sources', CARDS.sources.tabs[0]),
    places: useQueryState('places', CARDS.places.tabs[0]),
    devices: useQueryState('devices', CARDS.devices.tabs[0]),
  };
  const selected = CARD_NAMES.map((name) => {
    const [value] = states[name];
    const known: readonly string[] = name === 'sources' ? [...CARDS.sources.tabs, ...TAG_TABLES] : CARDS[name].tabs;
    return [name, known.includes(value) ? value : CARDS[name].tabs[0]] as const;
  });
  return [Object.fromEntries(selected) as CardTabs, (card, table) => states[card][1](table)];
}

interface CardsProps {
  overview: Overview;
  state: WebState;
  tabs: CardTabs;
  setTab(card: CardName, table: string): void;
  /** Said where a tab has no known value. */
  hints?: Readonly<Record<string, string>>;
}

export const Cards = ({ overview, state, tabs, setTab, hints = {} }: CardsProps) => (
  <>
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
        hint={hints[tabs[name]]}
      >
        {tabs[name] === 'country' && <LazyMap state={state} />}
      </WebCard>
    ))}
  </>
);
