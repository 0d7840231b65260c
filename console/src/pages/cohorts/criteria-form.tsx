import { type Cohort, listCohorts } from '../../api/cohorts.ts';
import { findEventNames } from '../../api/definitions.ts';
import './criteria-form.css';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { type CriteriaGroup, type Deed, EMPTY_GROUP, INTERVALS, type Membership } from './criteria.ts';

export interface CriteriaFormProps {
  value: readonly CriteriaGroup[];
  onChange(value: CriteriaGroup[]): void;
  /** The cohort itself, which cannot be part of itself. */
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
          <legend>{index === 0 ? 'Everybody who' : 'or everybody who'}</legend>
          <GroupLines
            group={group}
            others={others.data ?? []}
            onChange={(next) => onChange(replaced(value, index, next))}
            onRemove={() => onChange(replaced(value, index, null))}
          />
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...value, EMPTY_GROUP])}>
          {value.length === 0 ? 'Say who is in it' : 'Or others'}
        </Button>
      </div>
    </div>
  );
}

interface LinesProps {
  group: CriteriaGroup;
  others: readonly Cohort[];
  onChange(group: CriteriaGroup): void;
  onRemove(): void;
}

const NEW_DEED: Deed = { event: '', negated: false, times: 1, within: 30, interval: 'day' };

function GroupLines({ group, others, onChange, onRemove }: LinesProps) {
  const { properties, deeds, cohorts } = group;
  return (
    <div class="stack-s">
      <PropertyFilters
        value={properties}
        onChange={(next) => onChange({ ...group, properties: next })}
        owners={['person']}
        addLabel="Has a property"
      />
      {deeds.map((deed, index) => (
        <DeedLine
          key={`deed ${index}`}
          deed={deed}
          onChange={(next) => onChange({ ...group, deeds: replaced(deeds, index, next) })}
        />
      ))}
      {cohorts.map((one, index) => (
        <CohortLine
          key={`cohort ${index}`}
          membership={one}
          others={others}
          onChange={(next) => onChange({ ...group, cohorts: replaced(cohorts, index, next) })}
        />
      ))}
      <div class="row">
        <Button small onClick={() => onChange({ ...group, deeds: [...deeds, NEW_DEED] })}>
          Did something
        </Button>
        <Button small onClick={() => onChange({ ...group, cohorts: [...cohorts, { id: 0, negated: false }] })}>
          Is in a cohort
        </Button>
        <span class="push">
          <Button small kind="quiet" onClick={onRemove}>
            Remove the group
          </Button>
        </span>
      </div>
    </div>
  );
}

const DID = [
  { value: 'did', label: 'did' },
  { value: 'did not', label: 'did not do' },
];
const IN = [
  { value: 'in', label: 'is in' },
  { value: 'not in', label: 'is not in' },
];

function DeedLine({ deed, onChange }: { deed: Deed; onChange(deed: Deed | null): void }) {
  const { id } = useProject();
  return (
    <div class="criteria-line">
      <Select
        label="Did or did not"
        hideLabel
        value={deed.negated ? 'did not' : 'did'}
        options={DID}
        onChange={(word) => onChange({ ...deed, negated: word === 'did not' })}
      />
      <Combobox
        label="Event"
        hideLabel
        placeholder="event"
        value={deed.event}
        onChange={(event) => onChange({ ...deed, event })}
        suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((value) => ({ value }))}
        inputs={[id]}
      />
      <WholeField word="at least" label="Times" value={deed.times} onChange={(times) => onChange({ ...deed, times })} />
      <WholeField
        word="times in the last"
        label="How long"
        value={deed.within}
        onChange={(within) => onChange({ ...deed, within })}
      />
      <Select
        label="Unit of time"
        hideLabel
        value={deed.interval}
        options={INTERVALS.map((value) => ({ value, label: `${value}s` }))}
        onChange={(interval) => onChange({ ...deed, interval })}
      />
      <Button small kind="quiet" onClick={() => onChange(null)} aria-label={`Remove the event ${deed.event}`}>
        Remove
      </Button>
    </div>
  );
}

interface WholeProps {
  word: string;
  label: string;
  value: number;
  onChange(value: number): void;
}

const WholeField = ({ word, label, value, onChange }: WholeProps) => (
  <span class="criteria-whole">
    <span class="soft small">{word}</span>
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

interface CohortLineProps {
  membership: Membership;
  others: readonly Cohort[];
  onChange(membership: Membership | null): void;
}

function CohortLine({ membership, others, onChange }: CohortLineProps) {
  const options = [
    { value: '0', label: 'choose a cohort' },
    ...others.map(({ id, name }) => ({ value: String(id), label: name || `cohort ${id}` })),
  ];
  return (
    <div class="criteria-line">
      <Select
        label="In or not in"
        hideLabel
        value={membership.negated ? 'not in' : 'in'}
        options={IN}
        onChange={(word) => onChange({ ...membership, negated: word === 'not in' })}
      />
      <Select
        label="Cohort"
        hideLabel
        value={String(membership.id)}
        options={options}
        onChange={(id) => onChange({ ...membership, id: Number(id) })}
      />
      <Button small kind="quiet" onClick={() => onChange(null)} aria-label="Remove the cohort">
        Remove
      </Button>
    </div>
  );
}
