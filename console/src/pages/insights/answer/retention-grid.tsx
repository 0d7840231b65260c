import { useRef } from 'preact/hooks';
import type { RetentionRow } from '../../../api/insights.ts';
import { firstUnfinished, localTime, type PeriodUnit } from '../../../charts/rules/unfinished.ts';
import { NumberButton } from '../../../components/number-button.tsx';
import { classes } from '../../../lib/classes.ts';
import { formatTick, knownZone } from '../../../lib/dates.ts';
import { formatNumber, formatPercent, pluralize } from '../../../lib/numbers.ts';
import { useProject } from '../../../lib/session.ts';
import { useSize } from '../../../lib/use-size.ts';
import type { ViewProps } from './answer-props.ts';
import { weightedAverages } from './retention-average.ts';
import { RetentionCurve } from './retention-curve.tsx';

const MAX_ROWS_IN_TILE = 12;
/** In a tile, as many periods as fit beside the cohort and its size. */
const FIRST_COLUMNS = 168;
const COLUMN = 58;

/** Everyone is there in the first period, which would make all others pale. */
const highestReturn = (rows: readonly RetentionRow[]): number =>
  Math.max(
    0,
    ...rows.flatMap(({ values }) => values.slice(1).map(({ count }) => count / Math.max(1, values[0]?.count ?? 0))),
  );

export function RetentionGrid(props: ViewProps<'retention'>) {
  const { question, persons, now, onPick, small = false } = props;
  const { rows } = props.answer;
  const { timezone } = useProject();
  const frame = useRef<HTMLElement>(null);
  const { width } = useSize(frame);
  const { period } = question.retention;
  const unit = period.toLowerCase() as PeriodUnit;
  const starts = rows.map(({ date }) => (date === undefined ? null : localTime(date, knownZone(timezone))));
  const unfinished = firstUnfinished(
    starts.filter((start) => start !== null),
    unit,
    now,
  );
  const longest = Math.max(0, ...rows.map(({ values }) => values.length));
  const fitting = small ? Math.max(2, Math.floor((width - FIRST_COLUMNS) / COLUMN)) : longest;
  const columns = Array.from({ length: Math.min(longest, fitting) }, (_, index) => index);
  const highest = highestReturn(rows);
  const shown = rows.slice(0, small ? MAX_ROWS_IN_TILE : rows.length);
  const averages = weightedAverages(rows, unfinished);
  const hasUnfinished = unfinished !== null && unfinished < shown.length - 1 + columns.length;
  return (
    <div class="stack-s">
      {!small && <RetentionCurve rows={rows} averages={averages} period={period} />}
      <section class="table-frame" ref={frame} tabIndex={small ? undefined : 0} aria-label="Retention">
        <table class={classes('table retention', small && 'small')}>
          <thead>
            <tr>
              <th scope="col">Cohort</th>
              <th scope="col" class="number">
                Size
              </th>
              {columns.map((index) => (
                <th key={index} scope="col" class="number">
                  {`${period} ${index}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <AverageRow rows={rows} averages={averages} columns={columns} highest={highest} />
            {shown.map((row, at) => (
              <Row
                key={at}
                row={row}
                name={starts[at] == null ? row.label || 'None' : formatTick(starts[at], unit)}
                columns={columns}
                highest={highest}
                unfinished={unfinished === null ? null : unfinished - at}
                // Shared pages have no persons.
                onPick={persons.size === 0 ? null : (index) => onPick(index === 0 ? `${at}` : `${at}.${index}`)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {hasUnfinished && (
        <p class="muted small retention-note">
          <span /> Unfinished: these users can still return.
        </p>
      )}
      {columns.length < longest && (
        <p class="muted small">{pluralize(longest - columns.length, `more ${unit}`)} on the page of this insight.</p>
      )}
    </div>
  );
}

const shade = (share: number, index: number, highest: number): number =>
  index === 0 || highest === 0 ? Math.min(1, share) : share / highest;

interface AverageProps {
  rows: readonly RetentionRow[];
  averages: readonly number[];
  columns: readonly number[];
  highest: number;
}

/** All cohorts together, without what is not over. */
function AverageRow({ rows, averages, columns, highest }: AverageProps) {
  const size = rows.reduce((total, { values }) => total + (values[0]?.count ?? 0), 0);
  return (
    <tr class="average">
      <th scope="row">Weighted average</th>
      <td class="number">{formatNumber(size)}</td>
      {columns.map((index) => {
        const share = averages[index];
        if (share === undefined) return <td key={index} />;
        return (
          <td key={index} class="number retained" style={{ '--share': shade(share, index, highest) }}>
            {formatPercent(share)}
          </td>
        );
      })}
    </tr>
  );
}

interface RowProps {
  row: RetentionRow;
  name: string;
  columns: readonly number[];
  /** The highest share of users who returned: it gets the strongest colour. */
  highest: number;
  /** The first period that is not over. */
  unfinished: number | null;
  onPick: ((period: number) => void) | null;
}

function Row({ row: { label, values }, name, columns, highest, unfinished, onPick }: RowProps) {
  const size = values[0]?.count ?? 0;
  return (
    <tr>
      <th scope="row" class="truncate" title={name}>
        {name}
      </th>
      <td class="number">
        <NumberButton label={`${formatNumber(size)} in ${label}`} onPick={size > 0 && onPick ? () => onPick(0) : null}>
          {formatNumber(size)}
        </NumberButton>
      </td>
      {columns.map((index) => {
        const count = values[index]?.count;
        if (count === undefined) return <td key={index} />;
        const share = size === 0 ? 0 : count / size;
        const isUnfinished = unfinished !== null && index >= unfinished;
        const text = `${formatNumber(count)} of ${formatNumber(size)}${isUnfinished ? ', unfinished' : ''}`;
        return (
          <td
            key={index}
            class={classes('number retained', isUnfinished && 'is-unfinished')}
            title={text}
            style={{ '--share': shade(share, index, highest) }}
          >
            <NumberButton label={text} onPick={count > 0 && onPick ? () => onPick(index) : null}>
              {size === 0 ? '–' : formatPercent(share)}
            </NumberButton>
          </td>
        );
      })}
    </tr>
  );
}
