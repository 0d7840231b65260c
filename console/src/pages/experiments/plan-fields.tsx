/** How small a change has to be found, against how long that takes. */
import type { Plan, PlanStep } from '../../api/experiments.ts';
import { Field, TextField } from '../../components/field.tsx';
import { formatNumber, formatPercent, pluralize } from '../../lib/numbers.ts';

interface ChangeFieldProps {
  /** In percent. */
  value: string;
  /** Null until there is something to plan with. */
  plan: Plan | null;
  onChange(value: string): void;
}

/** A slider over the changes that were calculated, and a field for any other. */
export function ChangeField({ value, plan, onChange }: ChangeFieldProps) {
  const steps = plan?.curve ?? [];
  const at = nearestStep(steps, Number(value) / 100);
  const chosen = steps[at];
  return (
    <>
      {chosen !== undefined && (
        <Field label="Small changes take long" hint={`${formatPercent(chosen.mde_relative)}: ${durationOf(chosen)}`}>
          {(control) => (
            <input
              {...control}
              type="range"
              class="slider"
              min={0}
              max={steps.length - 1}
              step={1}
              value={at}
              aria-valuetext={`A change of ${formatPercent(chosen.mde_relative)}: ${durationOf(chosen)}`}
              onInput={(event) => {
                const step = steps[Number(event.currentTarget.value)];
                if (step !== undefined) onChange(String(Number((step.mde_relative * 100).toFixed(2))));
              }}
            />
          )}
        </Field>
      )}
      <TextField
        label="Smallest change worth knowing (%)"
        type="number"
        min={0.1}
        max={500}
        step={0.1}
        value={value}
        onInput={onChange}
      />
    </>
  );
}

function durationOf({ days, planned_users: users }: PlanStep): string {
  if (users === null) return 'no number of persons is enough';
  if (days === null) return `${pluralize(users, 'person')}, more than will come`;
  return `at least ${pluralize(days, 'day')}, ${pluralize(users, 'person')}`;
}

/** By its ratio to the change, as the steps are. */
function nearestStep(steps: readonly PlanStep[], change: number): number {
  const distance = (step: PlanStep): number => Math.abs(Math.log(step.mde_relative / Math.max(change, 1e-9)));
  let nearest = 0;
  for (const [at, step] of steps.entries()) if (distance(step) < distance(steps[nearest] ?? step)) nearest = at;
  return nearest;
}

export function PlanText({ plan }: { plan: Plan }) {
  return (
    <>
      <p>
        <b>{plan.sentence}</b>
      </p>
      <p class="muted small">
        In the last 14 days: {pluralize(plan.users, 'person')}, {formatNumber(plan.users_per_day)} new ones a day.
        {plan.detectable_effect !== null &&
          ` The longest run can show changes of ${formatPercent(plan.detectable_effect)} and more.`}
      </p>
    </>
  );
}
