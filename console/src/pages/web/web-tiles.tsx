import type { Overview } from '../../api/web.ts';
import { Change } from '../../charts/change.tsx';
import { Chart } from '../../charts/chart.tsx';
import { firstUnfinished, localTime, type PeriodUnit } from '../../charts/rules/unfinished.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { classes } from '../../lib/classes.ts';
import { formatDuration, formatTick, formatTickTitle, knownZone } from '../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { useAnnotations } from '../annotations/use-annotations.ts';

const formatSeconds = (seconds: number): string => formatDuration(Math.round(seconds) * 1000);

/** What each tile counts, and its definition. */
export const METRICS = {
  visitors: { label: 'Visitors', help: 'Persons with at least one page view.', format: formatNumber },
  views: { label: 'Page views', help: 'How often a page or a screen was viewed.', format: formatNumber },
  sessions: {
    label: 'Sessions',
    help: 'Visits: page views without a pause of more than 30 minutes. A session counts when it starts.',
    format: formatNumber,
  },
  bounce_rate: {
    label: 'Bounce rate',
    help: 'Sessions with one page view and no click that were over in less than ten seconds.',
    format: formatPercent,
  },
  average_duration: {
    label: 'Visit duration',
    help: 'From the first event of a session to its last, on average.',
    format: formatSeconds,
  },
} as const;

export type Metric = keyof typeof METRICS;
const NAMES = Object.keys(METRICS) as Metric[];

export const isMetric = (name: string): name is Metric => name in METRICS;

interface TilesProps {
  overview: Overview;
  selected: Metric;
  onSelect(metric: Metric): void;
}

export function Tiles({ overview, selected, onSelect }: TilesProps) {
  return (
    <section class="web-tiles" aria-label="Numbers">
      {NAMES.map((name) => {
        const { label, help, format } = METRICS[name];
        const { value, change } = overview.totals[name];
        return (
          <button
            type="button"
            key={name}
            class="card web-tile"
            aria-pressed={name === selected}
            title={help}
            onClick={() => onSelect(name)}
          >
            <span class="small muted web-tile-name">
              {label} <i aria-hidden="true">?</i>
            </span>
            <span class="web-tile-value">
              <strong>{value === null ? '–' : format(value)}</strong>
              <span class={classes('small', name === 'bounce_rate' && 'is-inverse')}>
                <Change change={change === null ? null : change / 100} />
              </span>
            </span>
            <Sparkline values={overview.series[name].map((one) => one ?? 0)} label={`${label} over time`} />
          </button>
        );
      })}
    </section>
  );
}

export function WebChart({ overview, metric }: { overview: Overview; metric: Metric }) {
  const { series, timezone, calculated_at: at } = overview;
  const interval = overview.interval as PeriodUnit;
  const { label, format } = METRICS[metric];
  const annotations = useAnnotations(series.days, interval);
  const { previous } = series;
  const titles = previous?.days.map((day) => formatTickTitle(day, interval));
  const line = {
    name: label,
    colour: 0,
    values: series[metric],
    ...(previous && titles ? { previous: { values: previous[metric].slice(0, series.days.length), titles } } : {}),
  };
  return (
    <Chart
      label={label}
      kind="line"
      unit={label}
      format={format}
      ticks={series.days.map((day) => ({ label: formatTick(day, interval), title: formatTickTitle(day, interval) }))}
      series={[line]}
      unfinished={firstUnfinished(series.days, interval, localTime(at, knownZone(timezone)))}
      annotations={annotations}
      hasTable
    />
  );
}
