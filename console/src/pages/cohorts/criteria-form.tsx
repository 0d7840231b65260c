import './criteria-form.css';
import { type Cohort, listCohorts } from '../../api/cohorts.ts';
import { findEventNames } from '../../api/definitions.ts';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { EVENT_NAMES, eventLabel } from '../../lib/friendly-names.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { type Behavior, type CriteriaGroup, EMPTY_GROUP, INTERVALS, type Membership } from './criteria.ts';

interface CriteriaFormProps {
  value: readonly CriteriaGroup[];
  onChange(value: CriteriaGroup[]): void;
  /** The cohort itself, which cannot refer to itself. */
  self?: number;
}

const replaced = <T,>(list: readonly T[], index: number, item: T | null): T[] =>
  list.flatMap((one, at) => (at !== index ? [one] : item === null ? [] : [item]));

export function CriteriaForm({ value, onChange, self }: CriteriaFormProps) {
  const { id } = useProject();
  const others = useResource(
    async (signal) => (await listCohorts(id, { limit: 1000 }, signal)).results.filter((one) => one.id !== self),
    [id, self],
  );
  return (
    <div class="stack">
      {value.map((group, index) => (
        <fieldset class="criteria-group" key={index}>
          <legend>{index === 0 ? 'Match persons who' : 'or persons who'}</legend>
          <CriteriaGroupFields
            group={group}
            others={others.data ?? []}
            onChange={(next) => onChange(replaced(value, index, next))}
            onRemove={() => onChange(replaced(value, index, null))}
          />
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...value, EMPTY_GROUP])}>
          {value.length === 0 ? 'Add criteria' : 'Add criteria group'}
        </Button>
      </div>
    </div>
  );
}

interface GroupProps {
  group: CriteriaGroup;
  others: readonly Cohort[];
  onChange(group: CriteriaGroup): void;
  onRemove(): void;
}

const NEW_BEHAVIOR: Behavior = { event: '', negated: false, times: 1, within: 30, interval: 'day' };

function CriteriaGroupFields({ group, others, onChange, onRemove }: GroupProps) {
  const { properties, behaviors, cohorts } = group;
  return (
    <div class="stack-s">
      <PropertyFilters
        value={properties}
        onChange={(next) => onChange({ ...group, properties: next })}
        owners={['person']}
        addLabel="Has property"
      />
      {behaviors.map((behavior, index) => (
        <BehaviorFields
          key={`behavior ${index}`}
          behavior={behavior}
          onChange={(next) => onChange({ ...group, behaviors: replaced(behaviors, index, next) })}
        />
      ))}
      {cohorts.map((one, index) => (
        <CohortFields
          key={`cohort ${index}`}
          membership={one}
          others={others}
          onChange={(next) => onChange({ ...group, cohorts: replaced(cohorts, index, next) })}
        />
      ))}
      <div class="row">
        <Button small onClick={() => onChange({ ...group, behaviors: [...behaviors, NEW_BEHAVIOR] })}>
          Performed event
        </Button>
        <Button small onClick={() => onChange({ ...group, cohorts: [...cohorts, { id: 0, negated: false }] })}>
          In cohort
        </Button>
        <span class="push">
          <Button small kind="quiet" onClick={onRemove}>
            Remove group
          </Button>
        </span>
      </div>
    </div>
  );
}

const PERFORMED = [
  { value: 'performed', label: 'performed event' },
  { value: 'not performed', label: "didn't perform event" },
];
const IN = [
  { value: 'in', label: 'in cohort' },
  { value: 'not in', label: 'not in cohort' },
];

function BehaviorFields({ behavior, onChange }: { behavior: Behavior; onChange(behavior: Behavior | null): void }) {
  const { id } = useProject();
  return (
    <div class="criteria-line">
      <Select
        label="Performed"
        hideLabel
        value={behavior.negated ? 'not performed' : 'performed'}
        options={PERFORMED}
        onChange={(value) => onChange({ ...behavior, negated: value === 'not performed' })}
      />
      <Combobox
        label="Event"
        hideLabel
        placeholder="Select event"
        names={EVENT_NAMES}
        value={behavior.event}
        onChange={(event) => onChange({ ...behavior, event })}
        suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((value) => ({ value }))}
        inputs={[id]}
      />
      <CountField
        prefix="at least"
        label="Times"
        value={behavior.times}
        onChange={(times) => onChange({ ...behavior, times })}
      />
      <CountField
        prefix="times in the last"
        label="Time range"
        value={behavior.within}
        onChange={(within) => onChange({ ...behavior, within })}
      />
      <Select
        label="Time unit"
        hideLabel
        value={behavior.interval}
        options={INTERVALS.map((value) => ({ value, label: `${value}s` }))}
        onChange={(interval) => onChange({ ...behavior, interval })}
      />
      <Button
        small
        kind="quiet"
        onClick={() => onChange(null)}
        aria-label={`Remove event ${eventLabel(behavior.event)}`}
      >
        Remove
      </Button>
    </div>
  );
}

interface CountFieldProps {
  prefix: string;
  label: string;
  value: number;
  onChange(value: number): void;
}

const CountField = ({ prefix, label, value, onChange }: CountFieldProps) => (
  <span class="criteria-count">
    <span class="muted small">{prefix}</span>
    <TextField
      label={label}
      hideLabel
      type="number"
      min={1}
      value={String(value)}
      onInput={(text) => onChange(Math.max(1, Math.trunc(Number(text)) || 1))}
    />
  </span>
);

interface CohortFieldsProps {
  membership: Membership;
  others: readonly Cohort[];
  onChange(membership: Membership | null): void;
}

function CohortFields({ membership, others, onChange }: CohortFieldsProps) {
  const options = [
    { value: '0', label: 'Select cohort' },
    ...others.map(({ id, name }) => ({ value: String(id), label: name || `Cohort ${id}` })),
  ];
  return (
    <div class="criteria-line">
      <Select
        label="Membership"
        hideLabel
        value={membership.negated ? 'not in' : 'in'}
        options={IN}
        onChange={(value) => onChange({ ...membership, negated: value === 'not in' })}
      />
      <Select
        label="Cohort"
        hideLabel
        value={String(membership.id)}
        options={options}
        onChange={(id) => onChange({ ...membership, id: Number(id) })}
      />
      <Button small kind="quiet" onClick={() => onChange(null)} aria-label="Remove cohort">
        Remove
      </Button>
    </div>
  );
}
