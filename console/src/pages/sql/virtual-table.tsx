import { useRef, useState } from 'preact/hooks';
import { classes } from '../../lib/classes.ts';
import { isNumeric, type SqlRows, textOf } from './sql-chart.ts';

/** As in sql-page.css. */
const ROW_PX = 34;
/** Rows above and below what is visible. */
const SPARE = 20;
const WINDOW_PX = 600;

/** Any number of rows: only those in sight are in the page. */
export function VirtualTable({ rows, label = 'Rows' }: { rows: SqlRows; label?: string }) {
  const { columns, results } = rows;
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE);
  const last = Math.min(results.length, Math.ceil((top + WINDOW_PX) / ROW_PX) + SPARE);
  const numbers = columns.map((_, at) => isNumeric(rows, at));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <div ref={frame} class="table-frame sql-rows" tabIndex={0} onScroll={() => setTop(frame.current?.scrollTop ?? 0)}>
      <table class="table" aria-label={label} aria-rowcount={results.length + 1}>
        <thead>
          <tr>
            {columns.map((name, at) => (
              <th key={at} scope="col" class={classes(numbers[at] && 'number')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space px={first * ROW_PX} span={columns.length} />}
          {results.slice(first, last).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              {row.map((value, at) => (
                <td key={at} class={classes(numbers[at] && 'number')}>
                  <Cell value={value} />
                </td>
              ))}
            </tr>
          ))}
          {last < results.length && <Space px={(results.length - last) * ROW_PX} span={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

const Space = ({ px, span }: { px: number; span: number }) => (
  <tr>
    <td colSpan={span} style={{ height: `${px}px`, padding: 0, border: 0 }} />
  </tr>
);

function Cell({ value }: { value: unknown }) {
  if (value === null) return <span class="sql-null">null</span>;
  const text = textOf(value);
  return <span title={text.length > 40 ? text : undefined}>{text}</span>;
}
