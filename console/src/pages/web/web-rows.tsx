import type { WebNumbers, WebTable } from '../../api/web.ts';
import { ValueBar } from '../../charts/value-bar.tsx';
import { formatDuration } from '../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { isFilteredBy, rowFilter, TABLE_LABELS, valueLabel, type WebState } from './web-state.ts';

interface RowsProps {
  table: string;
  rows: WebTable['rows'];
  /** All visitors, of whom rows are a share. */
  visitors: number;
  state: WebState;
  /** With all numbers of a row. */
  isDetailed?: boolean;
}

/** Columns of the whole list, where a table has them. */
const DETAILS: readonly { name: keyof WebNumbers; title: string; format(value: number): string }[] = [
  { name: 'views', title: 'Page views', format: formatNumber },
  { name: 'sessions', title: 'Sessions', format: formatNumber },
  { name: 'bounce_rate', title: 'Bounce rate', format: formatPercent },
  { name: 'average_duration', title: 'Duration', format: (seconds) => formatDuration(Math.round(seconds) * 1000) },
];

/** Addresses of people, on shared pages. */
const MASK = '•••';

const shareOf = (part: number, whole: number): string => (whole === 0 ? '–' : formatPercent(Math.min(1, part / whole)));

/** A value with a bar, visitors and share; a click filters the page by it, where there is something to filter. */
export function Rows({ table, rows, visitors, state, isDetailed = false }: RowsProps) {
  const all = rows.map((row) => row as [string, WebNumbers]);
  const most = Math.max(1, ...all.map(([, numbers]) => numbers.visitors));
  const details = isDetailed
    ? DETAILS.filter(({ name }) => all.some(([, numbers]) => numbers[name] !== undefined))
    : [];
  return (
    <div class="web-rows-frame">
      <table class="web-rows">
        <thead>
          <tr>
            <th scope="col">{TABLE_LABELS[table]}</th>
            <th scope="col" class="number">
              Visitors
            </th>
            <th scope="col" class="number">
              Share
            </th>
            {details.map(({ name, title }) => (
              <th key={name} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.map(([value, numbers], at) => (
            // Values of a shared page may be masked, and so equal.
            <tr key={at}>
              <td>
                <ValueBar share={numbers.visitors / most} colour={0} />
                <Value table={table} value={value} state={state} />
              </td>
              <td class="number">{formatNumber(numbers.visitors)}</td>
              <td class="number muted">{shareOf(numbers.visitors, visitors)}</td>
              {details.map(({ name, format }) => {
                const number = numbers[name];
                return (
                  <td key={name} class="number">
                    {number === null || number === undefined ? '–' : format(number)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ table, value, state }: Pick<RowsProps, 'table' | 'state'> & { value: string }) {
  const label = valueLabel(table, value);
  // There is no filter by bot: they are not visitors. What a link masks cannot be found again.
  if (state.isFixed || table === 'bot' || value.includes(MASK)) {
    return (
      <span class="value truncate" title={label}>
        {label}
      </span>
    );
  }
  const filter = rowFilter(table, value);
  return (
    <button
      type="button"
      class="value"
      aria-pressed={isFilteredBy(state, filter)}
      title={label}
      onClick={() => state.toggle(filter)}
    >
      <span class="truncate">{label}</span>
    </button>
  );
}
