import { Swatch } from '../../../components/chart/chart.tsx';
import { seriesColour } from '../../../components/chart/theme.ts';
import { formatDuration } from '../../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../../lib/numbers.ts';
import type { FunnelGroup, FunnelStep } from '../answers.ts';
import { eventName } from '../labels.ts';
import type { ViewProps } from './answer-props.ts';
import { NumberButton } from './number-button.tsx';

/** A bar per step, and per breakdown value. */
export function FunnelSteps({ answer: { groups }, persons, onPick, small = false }: ViewProps<'steps'>) {
  const steps = groups[0]?.steps ?? [];
  const open = (key: string): (() => void) | null => (persons.has(key) ? () => onPick(key) : null);
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <li key={at} class="funnel-step">
          <h3>
            <span class="funnel-number">{at + 1}</span> <span class="truncate">{eventName(step.name)}</span>
          </h3>
          {groups.slice(0, small ? 5 : 25).map((group, index) => (
            <GroupBar
              key={index}
              group={group}
              at={at}
              index={index}
              hasBreakdown={groups.length > 1}
              open={open}
              small={small}
            />
          ))}
        </li>
      ))}
    </ol>
  );
}

interface BarProps {
  group: FunnelGroup;
  at: number;
  index: number;
  hasBreakdown: boolean;
  open(key: string): (() => void) | null;
  small: boolean;
}

function GroupBar({ group, at, index, hasBreakdown, open, small }: BarProps) {
  const step = group.steps[at];
  const [first, before] = [group.steps[0]?.count ?? 0, group.steps[at - 1]];
  if (step === undefined) return null;
  const share = first === 0 ? 0 : step.count / first;
  const name = `${eventName(step.name)}${group.value === null ? '' : `, ${group.value}`}`;
  const pick = open(`${index}.${at}`);
  return (
    <div class="funnel-bar">
      {group.value !== null && (
        <span class="series-name small">
          <Swatch colour={index} /> <span class="truncate">{group.value}</span>
        </span>
      )}
      {/* Keyboards and screen readers use the number beside it. */}
      <div
        class="funnel-track"
        aria-hidden="true"
        onClick={pick ?? undefined}
        style={{ '--share': share, '--colour': seriesColour(hasBreakdown ? index : 0) }}
      />
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
