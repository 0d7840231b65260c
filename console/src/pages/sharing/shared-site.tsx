/** The overview of a site for visitors: the same numbers, without what filters or opens more. */
import '../web/web-page.css';
import { useState } from 'preact/hooks';
import type { Overview } from '../../api/web.ts';
import { Empty } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Rows } from '../web/web-rows.tsx';
import { TABLE_LABELS } from '../web/web-state.ts';
import { METRICS, type Metric, Tiles, WebChart } from '../web/web-tiles.tsx';

const CARDS = [
  { title: 'Pages', tabs: ['page', 'entry', 'exit'] },
  { title: 'Sources', tabs: ['channel', 'source'] },
  { title: 'Places', tabs: ['country'] },
  { title: 'Devices', tabs: ['device', 'browser', 'os'] },
] as const;

export function SharedSite({ overview }: { overview: Overview }) {
  const [metric, setMetric] = useState<Metric>('visitors');
  if (!overview.has_data) return <Empty title="No visitors yet">The numbers appear with the first page view.</Empty>;
  return (
    <div class="stack">
      <Tiles overview={overview} selected={metric} onSelect={setMetric} />
      <section class="card stack-s" aria-label="Over time">
        <h2>{METRICS[metric].label}</h2>
        <WebChart overview={overview} metric={metric} />
      </section>
      <div class="web-cards">
        {CARDS.map(({ title, tabs }) => (
          <Card key={title} title={title} tabs={tabs} overview={overview} />
        ))}
      </div>
    </div>
  );
}

function Card({ title, tabs, overview }: { title: string; tabs: readonly string[]; overview: Overview }) {
  const [selected, setSelected] = useState(tabs[0] ?? '');
  const rows = overview.tables[selected]?.rows ?? [];
  return (
    <section class="card stack-s web-card" aria-label={title}>
      <h2>{title}</h2>
      <Tabs
        label={title}
        tabs={tabs.map((id) => ({ id, label: TABLE_LABELS[id] ?? id }))}
        value={selected}
        onChange={setSelected}
      >
        {rows.length === 0 ? (
          <p class="muted small">No visitors in this date range.</p>
        ) : (
          <Rows table={selected} rows={rows} visitors={overview.totals.visitors.value ?? 0} state={null} />
        )}
      </Tabs>
    </section>
  );
}
