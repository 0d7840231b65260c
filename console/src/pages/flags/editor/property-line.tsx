import '../../../components/property-filters.css';
import { findProperties } from '../../../api/definitions.ts';
import { findGroupProperties } from '../../../api/flag-targets.ts';
import { Button } from '../../../components/button.tsx';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { Select } from '../../../components/field.tsx';
import { PROPERTY_NAMES } from '../../../lib/friendly-names.ts';
import { useProject } from '../../../lib/session.ts';
import { describeProperty, type Names } from '../model/descriptions.ts';
import type { Property } from '../model/filters.ts';
import { FLAG_OPERATORS, operatorOf, withOperator } from '../model/operators.ts';
import { PropertyValue } from './property-value.tsx';
import { CohortFields, FlagFields } from './reference-fields.tsx';
import type { Targets } from './use-targets.ts';

interface PropertyLineProps {
  property: Property;
  /** The group type of the condition; null for persons. */
  audience: number | null;
  isFirst: boolean;
  targets: Targets;
  /** The flag itself, which cannot depend on itself. */
  flagId: number | null;
  names: Names;
  onChange(property: Property): void;
  onRemove(): void;
}

const EMPTY = { key: '', operator: 'exact', value: [] };

export const newProperty = (audience: number | null): Property =>
  audience === null ? { ...EMPTY, type: 'person' } : { ...EMPTY, type: 'group', group_type_index: audience };

const NEW: Record<string, Property> = {
  person: newProperty(null),
  cohort: { key: 'id', type: 'cohort', operator: 'in', value: '' },
  flag: { key: '', type: 'flag', operator: 'flag_evaluates_to', value: true },
};

const KINDS = [
  { value: 'person', label: 'Person property' },
  { value: 'cohort', label: 'Cohort' },
  { value: 'flag', label: 'Feature flag' },
];

export function PropertyLine(props: PropertyLineProps) {
  const { property, audience, isFirst, names, onChange, onRemove } = props;
  const type = typeof property.type === 'string' ? property.type : 'person';
  return (
    <>
      <span class="word">{isFirst ? 'Where' : 'and'}</span>
      <div class="owner">
        {audience === null && (
          <Select
            label="Filter type"
            hideLabel
            value={type}
            options={KINDS}
            onChange={(next) => onChange(NEW[next] ?? newProperty(null))}
          />
        )}
        {type !== 'cohort' && type !== 'flag' && <KeyField {...props} />}
      </div>
      {type === 'cohort' ? (
        <CohortFields {...props} />
      ) : type === 'flag' ? (
        <FlagFields {...props} />
      ) : (
        <Comparison {...props} />
      )}
      <Button kind="quiet" small onClick={onRemove} aria-label={`Remove filter: ${describeProperty(property, names)}`}>
        Remove
      </Button>
    </>
  );
}

function KeyField({ property, audience, onChange }: PropertyLineProps) {
  const { id } = useProject();
  const suggest = async (text: string, signal: AbortSignal): Promise<Suggestion[]> => {
    if (audience !== null) return (await findGroupProperties(id, audience, text, signal)).map((value) => ({ value }));
    const found = await findProperties(id, 'person', text, signal);
    return found.map(({ name }) => ({ value: name }));
  };
  return (
    <Combobox
      label="Property"
      hideLabel
      placeholder="Select property"
      names={PROPERTY_NAMES}
      value={String(property.key ?? '')}
      onChange={(key) => onChange({ ...property, key })}
      suggest={suggest}
      inputs={[id, audience]}
    />
  );
}

function Comparison({ property, audience, onChange }: PropertyLineProps) {
  const operator = operatorOf(property);
  const isKnown = FLAG_OPERATORS.some(({ value }) => value === operator);
  return (
    <>
      <Select
        label="Operator"
        hideLabel
        value={operator}
        options={isKnown ? FLAG_OPERATORS : [...FLAG_OPERATORS, { value: operator, label: operator }]}
        onChange={(next) => onChange(withOperator(property, next))}
      />
      <PropertyValue property={property} audience={audience} onChange={(value) => onChange({ ...property, value })} />
    </>
  );
}
