import { useMemo } from 'preact/hooks';
import type { Colour } from '../../../charts/chart-data.ts';
import { ColumnBar } from '../../../charts/column-bar.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { NumberButton } from '../../../components/number-button.tsx';
import { classes } from '../../../lib/classes.ts';
import { formatDuration } from '../../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../../lib/numbers.ts';
import type { FunnelGroup } from '../answers.ts';
import { eventName } from '../labels.ts';
import type { ViewProps } from './answer-props.ts';
import { FunnelTable } from './funnel-table.tsx';
import { type StepFigures, stepFigures } from './step-figures.ts';

/** More bars in a column would be too thin; the table has all of them. */
const MAX_BARS = 12;
const MAX_BARS_IN_TILE = 5;

/** A column per step, with a bar of all users and of each breakdown value; the breakdown also as a table. */
export function FunnelSteps({ answer: { groups }, persons, onPick, small = false }: ViewProps<'steps'>) {
  const [baseline] = groups;
  const hasBreakdown = groups.length > 1 || baseline?.value !== null;
  const shown = groups.slice(0, small ? MAX_BARS_IN_TILE : MAX_BARS);
  const colours = useMemo(() => groupColours(groups), [groups]);
  const open = (key: string): (() => void) | null => (persons.has(key) ? () => onPick(key) : null);
  return (
    <div class="stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="funnel-frame" tabIndex={0} aria-label="Funnel">
        <ol class={classes('funnel', small && 'small')}>
          {baseline?.steps.map((step, at) => (
            <li key={at} class="funnel-step">
              <h3>
                <span class="funnel-number">{at + 1}</span>
                <span class="truncate" title={eventName(step.name)}>
                  {eventName(step.name)}
                </span>
              </h3>
              <div class="funnel-column">
                {shown.map((group, index) => (
                  <GroupBar
                    key={index}
                    group={group}
                    at={at}
                    colour={colours[index] ?? 0}
                    open={(suffix) => open(`${index}.${at}${suffix}`)}
                  />
                ))}
              </div>
              <StepFacts
                figures={stepFigures(baseline, at)}
                name={eventName(step.name)}
                open={(suffix) => open(`0.${at}${suffix}`)}
                small={small}
              />
            </li>
          ))}
        </ol>
      </section>
      {hasBreakdown && groups.length > shown.length && (
        <p class="muted small">
          The columns show the {formatNumber(shown.length - 1)} most common of {formatNumber(groups.length - 1)} values
          {!small && '; the table has all of them'}.
        </p>
      )}
      {hasBreakdown && !small && <FunnelTable groups={groups} colours={colours} open={open} />}
    </div>
  );
}

function groupColours(groups: readonly FunnelGroup[]): Colour[] {
  if (groups.length === 1) return [0];
  const colours = coloursFor(groups.flatMap(({ value }) => value ?? []));
  return groups[0]?.value === null ? ['overall', ...colours] : colours;
}

interface BarProps {
  group: FunnelGroup;
  at: number;
  colour: Colour;
  /** By the end of the key: '' for those who converted, '.d' for those who dropped off. */
  open(suffix: string): (() => void) | null;
}

function GroupBar({ group, at, colour, open }: BarProps) {
  const { count, share } = stepFigures(group, at);
  return (
    <ColumnBar
      share={share}
      colour={colour}
      title={`${group.value ?? 'Overall'}: ${formatNumber(count)}, ${formatPercent(share)}`}
      onPick={open('') ?? undefined}
      onPickRest={open('.d') ?? undefined}
    />
  );
}

interface FactsProps {
  figures: StepFigures;
  name: string;
  open(suffix: string): (() => void) | null;
  small: boolean;
}

/** The numbers of all users below a column. */
function StepFacts({ figures, name, open, small }: FactsProps) {
  const { count, share, dropped, fromBefore, average, median } = figures;
  return (
    <div class="funnel-facts">
      <span>
        <NumberButton label={`${formatNumber(count)} completed ${name}`} onPick={count > 0 ? open('') : null}>
          {formatNumber(count)}
        </NumberButton>{' '}
        <b>{formatPercent(share)}</b>
      </span>
      {dropped !== null && (
        <span class="muted">
          <NumberButton
            label={`${formatNumber(dropped)} dropped off before ${name}`}
            onPick={dropped > 0 ? open('.d') : null}
          >
            {formatNumber(dropped)}
          </NumberButton>{' '}
          dropped off
        </span>
      )}
      {fromBefore !== null && <span class="muted">{formatPercent(fromBefore)} of the previous step</span>}
      {average !== null && !small && (
        <span class="muted">
          Average time: {formatDuration(average * 1000)}
          {median !== null && `, median: ${formatDuration(median * 1000)}`}
        </span>
      )}
    </div>
  );
}
