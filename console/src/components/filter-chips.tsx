import { useEffect, useRef, useState } from 'preact/hooks';
import { listCohortNames } from '../api/flag-targets.ts';
import {
  type AnyFilter,
  type CohortFilter,
  describeFilter,
  isComplete,
  isValueFilter,
  OPERATORS,
  type Operator,
  type ValueFilter,
  withOperator,
} from '../lib/filters.ts';
import { propertyLabel } from '../lib/friendly-names.ts';
import { useProject } from '../lib/session.ts';
import { newFilter, type TargetType } from '../lib/targets.ts';
import { useDismiss } from '../lib/use-dismiss.ts';
import { useResource } from '../lib/use-resource.ts';
import { Button } from './button.tsx';
import { Chip } from './chip.tsx';
import { Select } from './field.tsx';
import { TargetPicker } from './target-picker.tsx';
import { ValueField } from './value-field.tsx';

interface FilterChipsProps {
  value: readonly AnyFilter[];
  onChange(value: AnyFilter[]): void;
  types?: readonly TargetType[];
}

const ALL_TYPES: readonly TargetType[] = ['event', 'person', 'session', 'group', 'cohort'];

/** Filters that all must match, each a chip. A chip opens its editor; filters without an editor can be removed. */
export function FilterChips({ value, onChange, types = ALL_TYPES }: FilterChipsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const cohortNames = useCohortNames(value.some(({ type }) => type === 'cohort'));
  useDismiss(frame, open !== null, () => setOpen(null));
  const put = (index: number, filter: AnyFilter | null): void =>
    onChange(value.flatMap((one, at) => (at !== index ? [one] : filter === null ? [] : [filter])));
  const remove = (index: number): void => {
    setOpen(null);
    put(index, null);
  };
  const edited = typeof open === 'number' ? value[open] : undefined;
  const canAdd = !value.some((one) => one.type === 'other' && one.isWhole);
  return (
    <div class="chips" ref={frame}>
      {value.map((filter, index) => (
        <Chip
          key={index}
          kind="Filter"
          label={describeFilter(filter, filter.type === 'cohort' ? cohortNames.get(filter.value) : undefined)}
          isOpen={open === index}
          isIncomplete={!isComplete(filter)}
          onOpen={filter.type === 'other' ? undefined : () => setOpen(open === index ? null : index)}
          onRemove={() => remove(index)}
        />
      ))}
      {canAdd && (
        <Button
          small
          kind="quiet"
          aria-expanded={open === 'new'}
          onClick={() => setOpen(open === 'new' ? null : 'new')}
        >
          + Add filter
        </Button>
      )}
      {open === 'new' && (
        <div class="chip-panel">
          <TargetPicker
            label="Filter by"
            types={types}
            onPick={(target) => {
              onChange([...value, newFilter(target)]);
              setOpen(target.type === 'cohort' ? null : value.length);
            }}
          />
        </div>
      )}
      {edited && typeof open === 'number' && (
        <div class="chip-panel">
          {edited.type === 'cohort' && <CohortEditor filter={edited} onChange={(next) => put(open, next)} />}
          {isValueFilter(edited) && <ValueEditor key={open} filter={edited} onChange={(next) => put(open, next)} />}
        </div>
      )}
    </div>
  );
}

function useCohortNames(isNeeded: boolean): ReadonlyMap<number, string> {
  const { id } = useProject();
  const { data = [] } = useResource(isNeeded ? (signal) => listCohortNames(id, signal) : null, [id]);
  return new Map(data.map((cohort) => [cohort.id, cohort.name]));
}

function ValueEditor({ filter, onChange }: { filter: ValueFilter; onChange(filter: ValueFilter): void }) {
  const frame = useRef<HTMLDivElement>(null);
  // The value is what is missing, or what changes most.
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  return (
    <div class="stack-s" ref={frame}>
      <Select
        label={propertyLabel(filter.key)}
        value={filter.operator}
        options={OPERATORS}
        onChange={(operator: Operator) => onChange(withOperator(filter, operator))}
      />
      <ValueField filter={filter} onChange={(value) => onChange({ ...filter, value })} />
    </div>
  );
}

const MEMBERSHIP = [
  { value: 'in', label: 'is in the cohort' },
  { value: 'not_in', label: 'is not in the cohort' },
] as const;

function CohortEditor({ filter, onChange }: { filter: CohortFilter; onChange(filter: CohortFilter): void }) {
  return (
    <Select
      label="Person"
      value={filter.operator}
      options={MEMBERSHIP}
      onChange={(operator) => onChange({ ...filter, operator })}
    />
  );
}
