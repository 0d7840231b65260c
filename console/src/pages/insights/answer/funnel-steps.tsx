import { useMemo } from 'preact/hooks';
import type { Colour } from '../../../charts/chart-data.ts';
import { LongName } from '../../../charts/long-name.tsx';
import { tailLength } from '../../../charts/rules/shorten.ts';
import { Swatch } from '../../../charts/swatch.tsx';
import { ValueBar } from '../../../charts/value-bar.tsx';
import { coloursFor } from '../../../charts/value-colours.ts';
import { NumberButton } from '../../../components/number-button.tsx';
import { formatDuration } from '../../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../../lib/numbers.ts';
import type { FunnelGroup, FunnelStep } from '../answers.ts';
import { eventName } from '../labels.ts';
import type { ViewProps } from './answer-props.ts';

/** Fewer in a tile, which has little room. */
const MAX_GROUPS = 26;
const MAX_GROUPS_IN_TILE = 4;

/** A bar per step: of all users, and of each breakdown value. */
export function FunnelSteps({ answer: { groups }, persons, onPick, small = false }: ViewProps<'steps'>) {
  const steps = groups[0]?.steps ?? [];
  const hasBreakdown = groups.length > 1 || groups[0]?.value !== null;
  const shown = groups.slice(0, small ? MAX_GROUPS_IN_TILE : MAX_GROUPS);
  const colours = useMemo(() => groupColours(groups), [groups]);
  const tail = tailLength(groups.flatMap(({ value }) => value ?? []));
  const open = (key: string): (() => void) | null => (persons.has(key) ? () => onPick(key) : null);
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <li key={at} class="funnel-step">
          <h3>
            <span class="funnel-number">{at + 1}</span> <span class="truncate">{eventName(step.name)}</span>
          </h3>
          {shown.map((group, index) => (
            <GroupBar
              key={index}
              group={group}
              label={hasBreakdown ? (group.value ?? 'Overall') : null}
              tail={tail}
              colour={colours[index] ?? 0}
              at={at}
              index={index}
              open={open}
              small={small}
            />
          ))}
          {groups.length > shown.length && (
            <p class="muted small">and {formatNumber(groups.length - shown.length)} more breakdown values</p>
          )}
        </li>
      ))}
    </ol>
  );
}

function groupColours(groups: readonly FunnelGroup[]): Colour[] {
  if (groups.length === 1) return [0];
  const colours = coloursFor(groups.flatMap(({ value }) => value ?? []));
  return groups[0]?.value === null ? ['overall', ...colours] : colours;
}

interface BarProps {
  group: FunnelGroup;
  /** Null without a breakdown. */
  label: string | null;
  /** See `LongName`. */
  tail: number;
  colour: Colour;
  at: number;
  index: number;
  open(key: string): (() => void) | null;
  small: boolean;
}

function GroupBar({ group, label, tail, colour, at, index, open, small }: BarProps) {
  const step = group.steps[at];
  const [first, before] = [group.steps[0]?.count ?? 0, group.steps[at - 1]];
  if (step === undefined) return null;
  const share = first === 0 ? 0 : step.count / first;
  const name = `${eventName(step.name)}${label === null ? '' : `, ${label}`}`;
  const pick = open(`${index}.${at}`);
  return (
    <div class="funnel-bar">
      {label !== null && (
        <span class="series-name small">
          <Swatch colour={colour} /> <LongName name={label} tail={tail} />
        </span>
      )}
      <ValueBar share={share} colour={colour} hasTrack onPick={pick ?? undefined} />
      <div class="funnel-facts">
        <span>
          <NumberButton label={`${formatNumber(step.count)} completed ${name}`} onPick={step.count > 0 ? pick : null}>
            {formatNumber(step.count)}
          </NumberButton>{' '}
          <b>{formatPercent(share)}</b>
        </span>
        {before && <DropOff step={step} before={before} pick={open(`${index}.${at}.d`)} name={name} small={small} />}
      </div>
    </div>
  );
}

interface DropOffProps {
  step: FunnelStep;
  before: FunnelStep;
  pick: (() => void) | null;
  name: string;
  small: boolean;
}

function DropOff({ step, before, pick, name, small }: DropOffProps) {
  const dropped = before.count - step.count;
  const { average_conversion_time: average, median_conversion_time: median } = step;
  return (
    <>
      <span class="muted">
        <NumberButton label={`${formatNumber(dropped)} dropped off before ${name}`} onPick={dropped > 0 ? pick : null}>
          {formatNumber(dropped)}
        </NumberButton>{' '}
        dropped off
        {before.count > 0 && ` (${formatPercent(dropped / before.count)} of the previous step)`}
      </span>
      {average !== null && !small && (
        <span class="muted">
          Average time: {formatDuration(average * 1000)}
          {median !== null && `, median: ${formatDuration(median * 1000)}`}
        </span>
      )}
    </>
  );
}
