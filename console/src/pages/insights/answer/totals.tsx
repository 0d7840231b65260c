import type { TrendItem } from '../../../api/insights.ts';
import { seriesColour } from '../../../components/chart/theme.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { itemName, type PersonsLink } from '../answers.ts';
import type { Question } from '../question.ts';
import { NumberButton } from './number-button.tsx';

interface TotalsProps {
  question: Question;
  items: readonly TrendItem[];
  persons: ReadonlyMap<string, PersonsLink>;
  onPick(key: string): void;
}

/** One number per series: large, as bars, or as a table. */
export function Totals({ question, items, persons, onPick }: TotalsProps) {
  const open = (at: number): (() => void) | null => (persons.has(`${at}`) ? () => onPick(`${at}`) : null);
  if (question.display === 'number') {
    return (
      <div class="big-numbers">
        {items.map((item, at) => (
          <div key={at}>
            <div class="big-number">
              <NumberButton label={itemName(item)} onPick={open(at)}>
                {totalOf(item)}
              </NumberButton>
            </div>
            <div class="muted">{itemName(item)}</div>
          </div>
        ))}
      </div>
    );
  }
  const highest = Math.max(1, ...items.map(({ aggregated_value }) => aggregated_value ?? 0));
  const hasBars = question.display === 'values';
  return (
    <div class="table-frame">
      <table class="table totals" aria-label="Data">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col" class="number">
              Total
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item, at) => (
            <tr key={at}>
              <th scope="row">
                <span class="truncate">{itemName(item)}</span>
                {hasBars && (
                  <div
                    class="total-bar"
                    style={{ '--share': (item.aggregated_value ?? 0) / highest, '--colour': seriesColour(at) }}
                  />
                )}
              </th>
              <td class="number">
                <NumberButton label={itemName(item)} onPick={open(at)}>
                  {totalOf(item)}
                </NumberButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const totalOf = ({ aggregated_value }: TrendItem): string =>
  aggregated_value == null ? '–' : formatNumber(aggregated_value);
