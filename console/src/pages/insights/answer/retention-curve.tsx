import { useMemo } from 'preact/hooks';
import type { RetentionRow } from '../../../api/insights.ts';
import { Chart } from '../../../charts/chart.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { formatPercent } from '../../../lib/numbers.ts';
import { weightedAverages } from './retention-average.ts';

interface RetentionCurveProps {
  rows: readonly RetentionRow[];
  averages: readonly number[];
  period: string;
}

/** Enough lines to tell apart. */
const MAX_VALUES = 6;

/** The share that returned, by period: of all cohorts together, and of each value of a breakdown. */
export function RetentionCurve({ rows, averages, period }: RetentionCurveProps) {
  const { ticks, series } = useMemo(() => {
    const values = rows.filter(({ breakdown_values: given }) => given !== undefined).slice(0, MAX_VALUES);
    const names = values.map(({ label }) => label || 'None');
    const colours = coloursFor(names);
    return {
      ticks: averages.map((_, index) => ({ label: `${period} ${index}`, title: `${period} ${index}` })),
      series: [
        { name: 'Weighted average', colour: values.length === 0 ? 0 : ('overall' as const), values: [...averages] },
        ...values.map((row, at) => ({
          name: names[at] ?? '',
          colour: colours[at] ?? 0,
          values: averages.map((_, index) => weightedAverages([row], null)[index] ?? 0),
        })),
      ],
    };
  }, [rows, averages, period]);
  // One point is no curve.
  if (averages.length < 2) return null;
  return (
    <Chart
      label="Retention curve"
      kind="line"
      ticks={ticks}
      series={series}
      unit="Returned"
      format={formatPercent}
      small
    />
  );
}
