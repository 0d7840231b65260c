import { listCohortNames } from '../../../api/flag-targets.ts';
import { Select } from '../../../components/field.tsx';
import { useProject } from '../../../lib/session.ts';
import { useResource } from '../../../lib/use-resource.ts';
import type { Breakdown, Kind } from '../question.ts';
import { PropertyField } from './property-field.tsx';

interface BreakdownFieldProps {
  kind: Kind;
  value: Breakdown | null;
  onChange(value: Breakdown | null): void;
}

const TYPES = [
  { value: 'none', label: 'None' },
  { value: 'event', label: 'Event property' },
  { value: 'person', label: 'Person property' },
  { value: 'cohort', label: 'Cohort (vs. all users)' },
] as const;

export function BreakdownField({ kind, value, onChange }: BreakdownFieldProps) {
  const options = TYPES.filter((choice) => kind !== 'retention' || choice.value !== 'cohort');
  return (
    <>
      <Select
        label="Breakdown"
        value={value?.type ?? 'none'}
        options={options}
        onChange={(type) => onChange(type === 'none' ? null : { type, key: '' })}
      />
      {value?.type === 'cohort' && <CohortSelect value={value.key} onChange={(key) => onChange({ ...value, key })} />}
      {(value?.type === 'event' || value?.type === 'person') && (
        <PropertyField
          label="Breakdown property"
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
  const cohorts = useResource((signal) => listCohortNames(id, signal), [id]);
  const names = cohorts.data?.map((cohort) => ({ value: String(cohort.id), label: cohort.name })) ?? [];
  const options = [
    { value: '', label: names.length === 0 && cohorts.data ? 'No cohorts yet' : 'Select cohort' },
    ...names,
  ];
  return <Select label="Cohort" hideLabel value={value} options={options} onChange={onChange} />;
}
