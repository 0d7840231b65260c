import { useMemo } from 'preact/hooks';
import type { TrendItem } from '../../../api/insights.ts';
import { Change } from '../../../charts/change.tsx';
import type { Colour } from '../../../charts/chart-data.ts';
import { LongName } from '../../../charts/long-name.tsx';
import { tailLength } from '../../../charts/rules/shorten.ts';
import { changeOf } from '../../../charts/rules/summary.ts';
import { Swatch } from '../../../charts/swatch.tsx';
import { ValueBar } from '../../../charts/value-bar.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { NumberButton } from '../../../components/number-button.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import type { PersonsLink } from '../answers.ts';
import type { Question } from '../question.ts';
import { pairItems, seriesNames } from './trend-data.ts';

interface TotalsProps {
  question: Question;
  items: readonly TrendItem[];
  persons: ReadonlyMap<string, PersonsLink>;
  onPick(key: string): void;
  small: boolean;
}

interface Total {
  name: string;
  colour: Colour;
  value: number | null;
  /** Of the previous period; undefined if it is not shown. */
  previous: number | null | undefined;
  onPick: (() => void) | null;
}

const MAX_IN_TILE = 10;

/** One number per series: large, as bars, or as a table. */
export function Totals({ question, items, persons, onPick, small }: TotalsProps) {
  const totals = useMemo(() => {
    const pairs = pairItems(items);
    const names = seriesNames(pairs.flatMap(({ current, previous }) => current ?? previous ?? []));
    const colours = names.length === 1 ? [0] : coloursFor(names);
    return pairs.map(({ current, previous, currentIndex }, at): Total => {
      const key = `${currentIndex}`;
      return {
        name: names[at] ?? '',
        colour: colours[at] ?? 0,
        value: current?.aggregated_value ?? null,
        previous: previous ? (previous.aggregated_value ?? null) : undefined,
        onPick: persons.has(key) ? () => onPick(key) : null,
      };
    });
  }, [items, persons, onPick]);
  if (question.display === 'number') return <BigNumbers totals={totals} />;
  return (
    <TotalsTable totals={totals} hasBars={question.display === 'values'} limit={small ? MAX_IN_TILE : totals.length} />
  );
}

const BigNumbers = ({ totals }: { totals: readonly Total[] }) => (
  <div class="big-numbers">
    {totals.map((total, at) => (
      <div key={at}>
        <div class="big-number">
          <NumberButton label={total.name} onPick={total.onPick}>
            {shown(total.value)}
          </NumberButton>
        </div>
        <div class="muted">{total.name}</div>
        {total.previous !== undefined && (
          <div class="small">
            <Change change={changeOf(total.value, total.previous)} />{' '}
            <span class="muted">from {shown(total.previous)} in the previous period</span>
          </div>
        )}
      </div>
    ))}
  </div>
);

function TotalsTable({ totals, hasBars, limit }: { totals: readonly Total[]; hasBars: boolean; limit: number }) {
  const highest = Math.max(1, ...totals.map(({ value }) => value ?? 0));
  const hasPrevious = totals.some(({ previous }) => previous !== undefined);
  const tail = tailLength(totals.map(({ name }) => name));
  return (
    <>
      <div class="table-frame">
        <table class="table totals" aria-label="Data">
          <thead>
            <tr>
              <th scope="col">Series</th>
              {['Total', ...(hasPrevious ? ['Previous', 'Change'] : [])].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.slice(0, limit).map(({ name, colour, value, previous, onPick }, at) => (
              <tr key={at}>
                <th scope="row">
                  <span class="series-name">
                    {hasBars && <Swatch colour={colour} />}
                    <LongName name={name} tail={tail} />
                  </span>
                  {hasBars && <ValueBar share={(value ?? 0) / highest} colour={colour} />}
                </th>
                <td class="number">
                  <NumberButton label={name} onPick={onPick}>
                    {shown(value)}
                  </NumberButton>
                </td>
                {hasPrevious && (
                  <>
                    <td class="number muted">{shown(previous ?? null)}</td>
                    <td class="number">
                      <Change change={changeOf(value, previous)} />
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {totals.length > limit && <p class="muted small">and {formatNumber(totals.length - limit)} more</p>}
    </>
  );
}

const shown = (value: number | null): string => (value === null ? '–' : formatNumber(value));
