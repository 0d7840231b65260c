/** Filters that refer to a cohort or another flag. */
import { Select } from '../../../components/field.tsx';
import { prerequisiteProblem } from '../model/dependencies.ts';
import type { Property } from '../model/filters.ts';
import { keyOf, variantsOf } from '../model/variants.ts';
import type { Targets } from './use-targets.ts';

interface ReferenceProps {
  property: Property;
  targets: Targets;
  onChange(property: Property): void;
}

const MEMBERSHIP = [
  { value: 'in', label: 'in' },
  { value: 'not_in', label: 'not in' },
];

export function CohortFields({ property, targets, onChange }: ReferenceProps) {
  const id = String(property.value ?? '');
  const options = targets.cohorts.map((cohort) => ({
    value: String(cohort.id),
    label: cohort.name || `Cohort ${cohort.id}`,
  }));
  const first = { value: '', label: options.length === 0 ? 'No cohorts yet' : 'Select cohort' };
  const isKnown = id === '' || options.some(({ value }) => value === id);
  const { cohort_name: _, ...plain } = property;
  return (
    <>
      <Select
        label="Membership"
        hideLabel
        value={property.operator === 'not_in' ? 'not_in' : 'in'}
        options={MEMBERSHIP}
        onChange={(operator) => onChange({ ...property, operator })}
      />
      <Select
        label="Cohort"
        hideLabel
        value={id}
        options={[first, ...options, ...(isKnown ? [] : [{ value: id, label: `Cohort ${id} (deleted)` }])]}
        onChange={(value) => onChange({ ...plain, value: value === '' ? '' : Number(value) })}
      />
    </>
  );
}

const VALUES = [
  { value: 'true', label: 'is on' },
  { value: 'false', label: 'is off' },
];

export function FlagFields({ property, targets, flagId, onChange }: ReferenceProps & { flagId: number | null }) {
  const key = String(property.key ?? '');
  const others = targets.flags.filter((flag) => flag.id !== flagId && (flag.active || String(flag.id) === key));
  const selected = others.find((flag) => String(flag.id) === key);
  const variants = selected ? variantsOf(selected.filters).map(keyOf) : [];
  const { value } = property;
  const known = typeof value === 'string' && !variants.includes(value) ? [...variants, value] : variants;
  return (
    <>
      <Select
        label="Flag"
        hideLabel
        value={key}
        options={[
          { value: '', label: others.length === 0 ? 'No other enabled flags' : 'Select flag' },
          ...others.map((flag) => ({ value: String(flag.id), label: flag.key })),
          ...(key !== '' && !selected ? [{ value: key, label: `Flag ${key} (deleted)` }] : []),
        ]}
        error={targets.flags.length === 0 ? null : prerequisiteProblem(key, flagId, targets.flags)}
        onChange={(next) => onChange({ ...property, key: next, value: true })}
      />
      <Select
        label="Flag value"
        hideLabel
        value={typeof value === 'string' ? `=${value}` : String(value)}
        options={[...VALUES, ...known.map((one) => ({ value: `=${one}`, label: `is ${one}` }))]}
        onChange={(next) => onChange({ ...property, value: next.startsWith('=') ? next.slice(1) : next === 'true' })}
      />
    </>
  );
}
