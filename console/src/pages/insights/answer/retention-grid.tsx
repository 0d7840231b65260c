import type { RetentionRow } from '../../../api/insights.ts';
import { formatDate, formatDateTime } from '../../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../../lib/numbers.ts';
import { useProject } from '../../../lib/session.ts';
import type { Question } from '../question.ts';
import type { ViewProps } from './answer-props.ts';
import { NumberButton } from './number-button.tsx';

export function RetentionGrid({ question, answer: { rows }, onPick, small = false }: ViewProps<'retention'>) {
  const longest = Math.max(0, ...rows.map(({ values }) => values.length));
  const columns = Array.from({ length: longest }, (_, index) => index);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="table-frame" tabIndex={0} aria-label="Retention">
      <table class="table retention">
        <thead>
          <tr>
            <th scope="col">Cohort</th>
            <th scope="col" class="number">
              Size
            </th>
            {columns.map((index) => (
              <th key={index} scope="col" class="number">
                {`${question.retention.period} ${index}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, small ? 8 : rows.length).map((row, at) => (
            <Row
              key={at}
              row={row}
              period={question.retention.period}
              columns={columns}
              onPick={(period) => onPick(period === 0 ? `${at}` : `${at}.${period}`)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  row: RetentionRow;
  period: Question['retention']['period'];
  columns: readonly number[];
  onPick(period: number): void;
}

function Row({ row: { label, date, values }, period, columns, onPick }: RowProps) {
  const { timezone } = useProject();
  const size = values[0]?.count ?? 0;
  return (
    <tr>
      <th scope="row" class="truncate">
        {date === undefined ? label || 'None' : (period === 'Hour' ? formatDateTime : formatDate)(date, timezone)}
      </th>
      <td class="number">
        <NumberButton label={`${formatNumber(size)} in ${label}`} onPick={size > 0 ? () => onPick(0) : null}>
          {formatNumber(size)}
        </NumberButton>
      </td>
      {columns.map((index) => {
        const count = values[index]?.count;
        if (count === undefined) return <td key={index} />;
        const share = size === 0 ? 0 : count / size;
        return (
          <td
            key={index}
            class="number retained"
            title={`${formatNumber(count)} of ${formatNumber(size)}`}
            style={{ '--share': share }}
          >
            <NumberButton
              label={`${formatNumber(count)} of ${formatNumber(size)}`}
              onPick={count > 0 ? () => onPick(index) : null}
            >
              {size === 0 ? '–' : formatPercent(Math.round(share * 1000) / 1000)}
            </NumberButton>
          </td>
        );
      })}
    </tr>
  );
}
