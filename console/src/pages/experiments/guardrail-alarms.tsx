import type { Experiment, GuardrailAlarm } from '../../api/experiments.ts';
import { Banner } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatChange, formatNumber } from '../../lib/numbers.ts';

export const GUARD_ACTIONS = {
  notify: 'Shown here',
  pause: 'Paused',
  roll_back: 'Rolled back',
} as const;

const DONE = {
  notify: 'A guardrail was harmed',
  pause: 'Paused automatically by a guardrail',
  roll_back: 'Rolled back automatically by a guardrail: everyone gets control',
} as const;

/** What guardrails have done, with the numbers that they did it for. */
export function GuardrailAlarms({ experiment }: { experiment: Experiment }) {
  const alarms = experiment.guardrail_alarms as GuardrailAlarm[];
  return (
    <>
      {alarms.map((alarm) => (
        <Banner key={`${alarm.key} ${alarm.at}`} tone={alarm.action === 'notify' ? 'warn' : 'bad'}>
          {titleOf(alarm)}, <Time at={alarm.at} />. {alarm.sentence} {evidence(alarm)}
        </Banner>
      ))}
    </>
  );
}

function titleOf({ key, action, variant, goes_on_with }: GuardrailAlarm): string {
  if (key === 'split') return 'The split is not as planned';
  if (goes_on_with === undefined) return DONE[action];
  return `Rolled back automatically by a guardrail: everyone in ${variant} gets control, and ${goes_on_with.join(', ')} goes on`;
}

function evidence({ lift_interval: bounds, users }: GuardrailAlarm): string {
  const range = bounds ? `The lift was ${formatChange(bounds[0])} to ${formatChange(bounds[1])}` : '';
  const persons = users && `${formatNumber(users.baseline)} and ${formatNumber(users.variant)} persons`;
  return range === '' || persons === undefined ? '' : `${range}, from ${persons}.`;
}
