import './property-filters.css';
import { findProperties, type PropertyOwner } from '../api/definitions.ts';
import { OPERATORS, type Operator, type PropertyFilter, withOperator } from '../lib/filters.ts';
import { PROPERTY_NAMES, propertyLabel } from '../lib/friendly-names.ts';
import { useProject } from '../lib/session.ts';
import { Button } from './button.tsx';
import { Combobox, type Suggestion } from './combobox.tsx';
import { Select } from './field.tsx';
import { ValueField } from './value-field.tsx';

interface PropertyFiltersProps {
  value: readonly PropertyFilter[];
  onChange(value: PropertyFilter[]): void;
  /** Whose properties can be filtered; new filters take the first. */
  owners?: readonly PropertyOwner[];
  addLabel?: string;
}

/** Filters that all must match, each on a line. */
export function PropertyFilters({
  value,
  onChange,
  owners = ['event', 'person'],
  addLabel = 'Add filter',
}: PropertyFiltersProps) {
  const put = (index: number, filter: PropertyFilter | null): void =>
    onChange(value.flatMap((one, at) => (at !== index ? [one] : filter === null ? [] : [filter])));
  const add = (): void => onChange([...value, { type: owners[0] ?? 'event', key: '', operator: 'exact', value: [] }]);
  return (
    <div class="stack-s">
      {value.length > 0 && (
        <ul class="filters">
          {value.map((filter, index) => (
            <li class="filter" key={index}>
              <FilterRow
                filter={filter}
                owners={owners}
                isFirst={index === 0}
                onChange={(next) => put(index, next)}
                onRemove={() => put(index, null)}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button small onClick={add}>
          {addLabel}
        </Button>
      </div>
    </div>
  );
}

interface RowProps {
  filter: PropertyFilter;
  owners: readonly PropertyOwner[];
  isFirst: boolean;
  onChange(filter: PropertyFilter): void;
  onRemove(): void;
}

const OWNERS: Record<PropertyOwner, string> = { event: 'Event property', person: 'Person property' };

function FilterRow({ filter, owners, isFirst, onChange, onRemove }: RowProps) {
  const { id } = useProject();
  const suggestKeys = async (text: string, signal: AbortSignal): Promise<Suggestion[]> => {
    const found = await findProperties(id, filter.type, text, signal);
    return found.map(({ name }) => ({ value: name }));
  };
  return (
    <>
      <span class="word">{isFirst ? 'Where' : 'and'}</span>
      <div class="owner">
        {owners.length > 1 && (
          <Select
            label="Property type"
            hideLabel
            value={filter.type}
            options={owners.map((owner) => ({ value: owner, label: OWNERS[owner] }))}
            onChange={(type) => onChange({ ...filter, type })}
          />
        )}
        <Combobox
          label="Property"
          hideLabel
          placeholder="Select property"
          names={PROPERTY_NAMES}
          value={filter.key}
          onChange={(key) => onChange({ ...filter, key })}
          suggest={suggestKeys}
          inputs={[id, filter.type]}
        />
      </div>
      <Select
        label="Operator"
        hideLabel
        value={filter.operator}
        options={OPERATORS}
        onChange={(operator: Operator) => onChange(withOperator(filter, operator))}
      />
      <ValueField filter={filter} onChange={(value) => onChange({ ...filter, value })} />
      <Button kind="quiet" small onClick={onRemove} aria-label={`Remove filter ${propertyLabel(filter.key)}`.trim()}>
        Remove
      </Button>
    </>
  );
}
