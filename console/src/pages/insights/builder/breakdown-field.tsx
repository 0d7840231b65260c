import { get, type Paged, projectPath } from '../../../api/request.ts';
import { Select } from '../../../components/field.tsx';
import { useProject } from '../../../lib/session.ts';
import { useResource } from '../../../lib/use-resource.ts';
import type { Breakdown, Kind } from '../question.ts';
import { PropertyField } from './property-field.tsx';

export interface BreakdownFieldProps {
  kind: Kind;
  value: Breakdown | null;
  onChange(value: Breakdown | null): void;
}

const BY = [
  { value: 'none', label: 'nothing' },
  { value: 'event', label: "the event's property" },
  { value: 'person', label: "the person's property" },
  { value: 'cohort', label: 'a cohort and everybody' },
] as const;

/** By what the numbers are divided. */
export function BreakdownField({ kind, value, onChange }: BreakdownFieldProps) {
  const choices = BY.filter((choice) => kind !== 'retention' || choice.value !== 'cohort');
  return (
    <>
      <Select
        label="Divided by"
        value={value?.type ?? 'none'}
        options={choices}
        onChange={(type) => onChange(type === 'none' ? null : { type, key: '' })}
      />
      {value?.type === 'cohort' && <CohortSelect value={value.key} onChange={(key) => onChange({ ...value, key })} />}
      {(value?.type === 'event' || value?.type === 'person') && (
        <PropertyField
          label="Property to divide by"
          owner={value.type}
          value={value.key}
          onChange={(key) => onChange({ ...value, key })}
        />
      )}
    </>
  );
}

function CohortSelect({ value, onChange }: { value: string; onChange(id: string): void }) {
  const { id } = useProject();
  const cohorts = useResource(
    (signal) => get<Paged<{ id: number; name: string }>>(projectPath(id, 'cohorts'), { limit: 1000 }, signal),
    [id],
  );
  const known = cohorts.data?.results.map((cohort) => ({ value: String(cohort.id), label: cohort.name })) ?? [];
  const options = [{ value: '', label: known.length === 0 && cohorts.data ? 'no cohorts yet' : 'choose…' }, ...known];
  return <Select label="Cohort" hideLabel value={value} options={options} onChange={onChange} />;
}
