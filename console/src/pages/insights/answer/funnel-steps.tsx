import { Swatch } from '../../../components/chart/chart.tsx';
import { seriesColour } from '../../../components/chart/theme.ts';
import { formatDuration, formatNumber, formatShare } from '../../../lib/format.ts';
import type { FunnelGroup, FunnelStep } from '../answers.ts';
import { eventWord } from '../labels.ts';
import type { Part } from './answer-props.ts';
import { NumberButton } from './number-button.tsx';

/** A bar for each step, of those who reached it; beside one another where a breakdown divides them. */
export function FunnelSteps({ answer: { groups }, people, onPick, small = false }: Part<'steps'>) {
  const steps = groups[0]?.steps ?? [];
  const open = (key: string): (() => void) | null => (people.has(key) ? () => onPick(key) : null);
  return (
    <ol class="funnel">
      {steps.map((step, at) => (
        <li key={at} class="funnel-step">
          <h3>
            <span class="funnel-place">{at + 1}</span> <span class="cut">{eventWord(step.name)}</span>
          </h3>
          {groups.slice(0, small ? 5 : 25).map((group, place) => (
            <GroupBar
              key={place}
              group={group}
              at={at}
              place={place}
              isDivided={groups.length > 1}
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
  place: number;
  isDivided: boolean;
  open(key: string): (() => void) | null;
  small: boolean;
}

function GroupBar({ group, at, place, isDivided, open, small }: BarProps) {
  const step = group.steps[at];
  const [first, before] = [group.steps[0]?.count ?? 0, group.steps[at - 1]];
  if (step === undefined) return null;
  const share = first === 0 ? 0 : step.count / first;
  const name = `${eventWord(step.name)}${group.value === null ? '' : `, ${group.value}`}`;
  const pick = open(`${place}.${at}`);
  return (
    <div class="funnel-bar">
      {group.value !== null && (
        <span class="series-name small">
          <Swatch colour={place} /> <span class="cut">{group.value}</span>
        </span>
      )}
      {/* The number beside it says and does the same, for keyboards and screen readers. */}
      <div
        class="funnel-track"
        aria-hidden="true"
        onClick={pick ?? undefined}
        style={{ '--share': share, '--colour': seriesColour(isDivided ? place : 0) }}
      />
      <div class="funnel-facts">
        <span>
          <NumberButton label={`${formatNumber(step.count)} reached ${name}`} onPick={step.count > 0 ? pick : null}>
            {formatNumber(step.count)}
          </NumberButton>{' '}
          <b>{formatShare(share)}</b>
        </span>
        {before && <Lost step={step} before={before} pick={open(`${place}.${at}.d`)} name={name} small={small} />}
      </div>
    </div>
  );
}

interface LostProps {
  step: FunnelStep;
  before: FunnelStep;
  pick: (() => void) | null;
  name: string;
  small: boolean;
}

function Lost({ step, before, pick, name, small }: LostProps) {
  const lost = before.count - step.count;
  const { average_conversion_time: average, median_conversion_time: median } = step;
  return (
    <>
      <span class="soft">
        <NumberButton label={`${formatNumber(lost)} dropped out before ${name}`} onPick={lost > 0 ? pick : null}>
          {formatNumber(lost)}
        </NumberButton>{' '}
        dropped out
        {before.count > 0 && ` (${formatShare(lost / before.count)} of the step before)`}
      </span>
      {average !== null && !small && (
        <span class="soft">
          takes {formatDuration(average * 1000)} on average
          {median !== null && `, ${formatDuration(median * 1000)} in the middle`}
        </span>
      )}
    </>
  );
}
