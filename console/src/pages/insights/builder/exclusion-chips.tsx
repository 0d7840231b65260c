import { useRef, useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chip.tsx';
import { Select } from '../../../components/field.tsx';
import { useDismiss } from '../../../lib/use-dismiss.ts';
import { entityName } from '../labels.ts';
import type { Exclusion } from '../question.ts';
import { EventField } from './event-field.tsx';

interface ExclusionChipsProps {
  value: readonly Exclusion[];
  /** How many steps the funnel has. */
  steps: number;
  onChange(value: readonly Exclusion[]): void;
}

/** Events that must not happen between two steps. */
export function ExclusionChips({ value, steps, onChange }: ExclusionChipsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<number | 'new' | null>(null);
  useDismiss(frame, open !== null, () => setOpen(null));
  const last = Math.max(1, steps - 1);
  const put = (index: number, next: Exclusion | null): void =>
    onChange(value.flatMap((one, at) => (at !== index ? [one] : next === null ? [] : [next])));
  const edited = typeof open === 'number' ? value[open] : undefined;
  return (
    <div class="chips" ref={frame}>
      {value.map((one, index) => (
        <Chip
          key={index}
          kind="Exclusion"
          label={`Exclude ${entityName(one)} between steps ${one.from + 1} and ${one.to + 1}`}
          isOpen={open === index}
          isIncomplete={one.from >= one.to || one.to >= steps}
          onOpen={() => setOpen(open === index ? null : index)}
          onRemove={() => {
            setOpen(null);
            put(index, null);
          }}
        />
      ))}
      <Button small kind="quiet" aria-expanded={open === 'new'} onClick={() => setOpen(open === 'new' ? null : 'new')}>
        + Add exclusion
      </Button>
      {open === 'new' && (
        <div class="chip-panel">
          <EventField
            label="Excluded event"
            focusKey="new"
            value={{ event: '', action: null }}
            onChange={(entity) => {
              if (entity.event === '' && entity.action === null) return;
              onChange([...value, { ...entity, from: 0, to: last }]);
              setOpen(null);
            }}
          />
        </div>
      )}
      {edited && typeof open === 'number' && (
        <div class="chip-panel row-end">
          <StepSelect
            label="From step"
            value={edited.from}
            steps={steps}
            onChange={(from) => put(open, { ...edited, from, to: Math.max(edited.to, Math.min(from + 1, last)) })}
          />
          <StepSelect label="To step" value={edited.to} steps={steps} onChange={(to) => put(open, { ...edited, to })} />
        </div>
      )}
    </div>
  );
}

interface StepSelectProps {
  label: string;
  value: number;
  steps: number;
  onChange(value: number): void;
}

const StepSelect = ({ label, value, steps, onChange }: StepSelectProps) => (
  <Select
    label={label}
    value={String(value)}
    options={Array.from({ length: steps }, (_, step) => ({ value: String(step), label: String(step + 1) }))}
    onChange={(step) => onChange(Number(step))}
  />
);
