import type { Colour } from '../../../charts/chart-data.ts';
import { LongName } from '../../../charts/long-name.tsx';
import { tailLength } from '../../../charts/rules/shorten.ts';
import { Swatch } from '../../../charts/swatch.tsx';
import { NumberButton } from '../../../components/number-button.tsx';
import { formatNumber, formatPercent } from '../../../lib/numbers.ts';
import type { FunnelGroup } from '../answers.ts';
import { eventName } from '../labels.ts';
import { stepFigures } from './step-figures.ts';

interface FunnelTableProps {
  groups: readonly FunnelGroup[];
  colours: readonly Colour[];
  /** By the key of a number. */
  open(key: string): (() => void) | null;
}

/** A row per breakdown value, below the baseline of all users. */
export function FunnelTable({ groups, colours, open }: FunnelTableProps) {
  const steps = groups[0]?.steps ?? [];
  const tail = tailLength(groups.flatMap(({ value }) => value ?? []));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="table-frame" tabIndex={0} aria-label="Breakdown">
      <table class="table numbers funnel-table">
        <thead>
          <tr>
            <th scope="col">Breakdown</th>
            {steps.map((step, at) => (
              <th key={at} scope="col" class="number">
                {at + 1}. {eventName(step.name)}
              </th>
            ))}
            <th scope="col" class="number">
              Converted
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group, index) => (
            <tr key={index} class={group.value === null ? 'baseline' : ''}>
              <th scope="row">
                <span class="series-name">
                  <Swatch colour={colours[index] ?? 0} /> <LongName name={group.value ?? 'Overall'} tail={tail} />
                </span>
              </th>
              {group.steps.map((_, at) => (
                <StepCell key={at} group={group} at={at} open={(suffix) => open(`${index}.${at}${suffix}`)} />
              ))}
              <td class="number">
                <b>{formatPercent(stepFigures(group, steps.length - 1).share)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface StepCellProps {
  group: FunnelGroup;
  at: number;
  open(suffix: string): (() => void) | null;
}

function StepCell({ group, at, open }: StepCellProps) {
  const { count, fromBefore, dropped } = stepFigures(group, at);
  const name = `${eventName(group.steps[at]?.name ?? '')}, ${group.value ?? 'Overall'}`;
  return (
    <td class="number">
      <NumberButton label={`${formatNumber(count)} completed ${name}`} onPick={count > 0 ? open('') : null}>
        {formatNumber(count)}
      </NumberButton>
      {dropped !== null && (
        <span class="muted funnel-dropped">
          {fromBefore !== null && `${formatPercent(fromBefore)} · `}
          <NumberButton
            label={`${formatNumber(dropped)} dropped off before ${name}`}
            onPick={dropped > 0 ? open('.d') : null}
          >
            −{formatNumber(dropped)}
          </NumberButton>
        </span>
      )}
    </td>
  );
}
