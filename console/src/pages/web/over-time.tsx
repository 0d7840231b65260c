/** The tiles of a site, and the chart of the selected one. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Overview } from '../../api/web.ts';
import { ExportItems } from '../../charts/export-items.tsx';
import { Menu } from '../../components/menu.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { isMetric, METRICS, Tiles, WebChart } from './web-tiles.tsx';

interface OverTimeProps {
  overview: Overview;
  /** Of what is counted by day. */
  csvPath: string;
  /** Before the export. */
  actions?: ComponentChildren;
  /** Below the chart. */
  children?: ComponentChildren;
}

export function OverTime({ overview, csvPath, actions, children }: OverTimeProps) {
  const [chosen, setMetric] = useQueryState('metric', 'visitors');
  const metric = isMetric(chosen) ? chosen : 'visitors';
  const picture = useRef<HTMLDivElement>(null);
  return (
    <>
      <Tiles overview={overview} selected={metric} onSelect={setMetric} />
      <section class="card stack-s" aria-label="Over time">
        <div class="web-chart-head">
          <div>
            <h2>{METRICS[metric].label}</h2>
            <p class="small muted">{METRICS[metric].help}</p>
          </div>
          <div class="row">
            {actions}
            <Menu label="Export">
              <ExportItems name="web-analytics" csv={csvPath} link={location.href} picture={() => picture.current} />
            </Menu>
          </div>
        </div>
        <div ref={picture}>
          <WebChart overview={overview} metric={metric} />
        </div>
        {children}
      </section>
    </>
  );
}
