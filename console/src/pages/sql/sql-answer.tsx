/** The rows of a statement: a table, a chart or one number. Also on dashboards and shared pages. */
import './sql-answer.css';
import { useMemo } from 'preact/hooks';
import { Chart } from '../../charts/chart.tsx';
import { Banner, Empty } from '../../components/states.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { bigNumber, chartOf, chooseDisplay, type Display, possibleDisplays, type SqlRows } from './sql-chart.ts';
import { VirtualTable } from './virtual-table.tsx';

interface SqlAnswerProps {
  rows: SqlRows;
  /** Null: what suits the columns. */
  display: Display | null;
  label: string;
  small?: boolean;
}

export function SqlAnswer(props: SqlAnswerProps) {
  return (
    <>
      {props.rows.warnings?.map(({ message }) => (
        <Banner key={message} tone="warn">
          {message}
        </Banner>
      ))}
      <Rows {...props} />
    </>
  );
}

function Rows({ rows, display, label, small = false }: SqlAnswerProps) {
  const chart = useMemo(() => chartOf(rows), [rows]);
  const possible = possibleDisplays(rows);
  const chosen = display !== null && possible.includes(display) ? display : chooseDisplay(rows);
  if (rows.results.length === 0) {
    return <Empty title="No rows">The statement is right, but nothing matches it.</Empty>;
  }
  if (chosen === 'number') return <OneNumber rows={rows} />;
  if (chosen === 'table' || chart === null) return <VirtualTable rows={rows} />;
  const { ticks, series, isCut } = chart;
  const unit = series.length === 1 ? (series[0]?.name ?? '') : '';
  return (
    <>
      <Chart label={label} kind={chosen} ticks={ticks} series={series} unit={unit} small={small} hasTable />
      {isCut && <p class="muted small">The chart shows a part of the rows; the table has all of them.</p>}
    </>
  );
}

function OneNumber({ rows }: { rows: SqlRows }) {
  const found = bigNumber(rows);
  return (
    <div class="sql-number">
      <strong>{found === null || found.value === null ? '–' : formatNumber(found.value)}</strong>
      <span class="muted">{found?.name}</span>
    </div>
  );
}
