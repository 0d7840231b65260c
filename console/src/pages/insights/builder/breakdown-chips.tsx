import { useRef, useState } from 'preact/hooks';
import { listCohortNames } from '../../../api/flag-targets.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chip.tsx';
import { Select } from '../../../components/field.tsx';
import { TargetPicker } from '../../../components/target-picker.tsx';
import { propertyLabel } from '../../../lib/friendly-names.ts';
import { useProject } from '../../../lib/session.ts';
import type { Target, TargetType } from '../../../lib/targets.ts';
import { useDismiss } from '../../../lib/use-dismiss.ts';
import { useResource } from '../../../lib/use-resource.ts';
import type { Attribution, Breakdown, Question } from '../question.ts';

interface BreakdownChipsProps {
  question: Question;
  onChange(changes: Partial<Question>): void;
}

const TYPES: readonly TargetType[] = ['event', 'person', 'session', 'group', 'cohort'];
/** Retention is broken down by what persons had when they came. */
const RETENTION_TYPES: readonly TargetType[] = ['event', 'person', 'session', 'group'];

/** The breakdown as a chip; in funnels with the step whose value counts. */
export function BreakdownChips({ question, onChange }: BreakdownChipsProps) {
  const { kind, breakdown, funnel, rest } = question;
  const frame = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useDismiss(frame, isOpen, () => setOpen(false));
  const name = useBreakdownName(breakdown);
  const toggle = (): void => setOpen(!isOpen);
  if (rest['breakdown'] !== undefined || rest['breakdowns'] !== undefined) {
    return <OtherBreakdown rest={rest} onChange={(next) => onChange({ rest: next })} />;
  }
  return (
    <div class="chips" ref={frame}>
      {breakdown ? (
        <Chip
          kind="Breakdown"
          label={name}
          isOpen={isOpen}
          onOpen={toggle}
          onRemove={() => onChange({ breakdown: null })}
        />
      ) : (
        <Button small kind="quiet" aria-expanded={isOpen} onClick={toggle}>
          + Add breakdown
        </Button>
      )}
      {breakdown && breakdown.type !== 'cohort' && kind === 'funnel' && (
        <AttributionSelect
          value={funnel.attribution}
          steps={question.series.length}
          onChange={(attribution) => onChange({ funnel: { ...funnel, attribution } })}
        />
      )}
      {isOpen && (
        <div class="chip-panel">
          <TargetPicker
            label="Break down by"
            types={kind === 'retention' ? RETENTION_TYPES : TYPES}
            onPick={(target) => {
              setOpen(false);
              onChange({ breakdown: toBreakdown(target) });
            }}
          />
        </div>
      )}
    </div>
  );
}

const toBreakdown = (target: Target): Breakdown =>
  target.type === 'cohort' ? { type: 'cohort', key: String(target.id) } : target;

function useBreakdownName(breakdown: Breakdown | null): string {
  const { id } = useProject();
  const isCohort = breakdown?.type === 'cohort';
  const { data } = useResource(isCohort ? (signal) => listCohortNames(id, signal) : null, [id]);
  if (breakdown === null) return '';
  if (!isCohort) return propertyLabel(breakdown.key);
  return `Cohort ${data?.find((cohort) => String(cohort.id) === breakdown.key)?.name ?? breakdown.key}`;
}

/** A breakdown made through the API, such as one by an expression. */
function OtherBreakdown({ rest, onChange }: { rest: Question['rest']; onChange(rest: Question['rest']): void }) {
  const without = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('breakdown')));
  const given = rest['breakdown'] ?? rest['breakdowns'];
  return (
    <div class="chips">
      <Chip
        kind="Breakdown"
        label={typeof given === 'string' ? given : JSON.stringify(given)}
        onRemove={() => onChange(without)}
      />
    </div>
  );
}

interface AttributionProps {
  value: Attribution;
  steps: number;
  onChange(value: Attribution): void;
}

function AttributionSelect({ value, steps, onChange }: AttributionProps) {
  const options = [
    { value: 'first_touch', label: 'First touchpoint' },
    { value: 'last_touch', label: 'Last touchpoint' },
    { value: 'all_events', label: 'All steps' },
    ...Array.from({ length: steps }, (_, step) => ({ value: `step ${step}`, label: `Step ${step + 1}` })),
  ];
  const choose = (key: string): void => {
    const step = /^step (\d+)$/.exec(key)?.[1];
    if (step !== undefined) onChange({ type: 'step', step: Number(step) });
    else onChange({ type: key === 'last_touch' || key === 'all_events' ? key : 'first_touch' });
  };
  return (
    <div class="inline-field">
      <Select
        label="Attribution"
        value={value.type === 'step' ? `step ${value.step}` : value.type}
        options={options}
        onChange={choose}
      />
    </div>
  );
}
