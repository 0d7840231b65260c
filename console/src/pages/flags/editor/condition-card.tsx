import { Button } from '../../../components/button.tsx';
import { Field, Select, TextField } from '../../../components/field.tsx';
import { formatRollout } from '../../../lib/numbers.ts';
import {
  audienceOfCondition,
  type Condition,
  type Property,
  propertiesOf,
  putCondition,
  rolloutOf,
  setConditionAudience,
} from '../model/filters.ts';
import { keyOf, variantsOf } from '../model/variants.ts';
import { ConditionHead } from './condition-head.tsx';
import type { ConditionsProps } from './conditions-props.ts';
import { MatchCount } from './match-count.tsx';
import { newProperty, PropertyLine } from './property-line.tsx';
import { audienceOptions } from './use-targets.ts';

interface CardProps extends ConditionsProps {
  condition: Condition;
  index: number;
  count: number;
  /** Whether each condition says what it matches by. */
  isByCondition: boolean;
}

export function ConditionCard(props: CardProps) {
  const { filters, onChange, condition, index, names, targets, flagId } = props;
  const audience = audienceOfCondition(filters, condition);
  const properties = propertiesOf(condition);
  const update = (changes: Condition): void =>
    onChange((before) => putCondition(before, index, { ...condition, ...changes }));
  const updateProperty = (at: number, next: Property | null): void =>
    update({ properties: next === null ? properties.toSpliced(at, 1) : properties.with(at, next) });
  return (
    <li class="flag-item stack-s" aria-label={`Condition ${index + 1}`}>
      <ConditionHead {...props} />
      {props.isByCondition && (
        <div class="flag-audience">
          <Select
            label={`Match condition ${index + 1} by`}
            value={String(audience ?? '')}
            options={audienceOptions(targets)}
            hint="Filters that do not suit it are removed."
            onChange={(value) =>
              onChange((before) => setConditionAudience(before, index, value === '' ? null : Number(value)))
            }
          />
        </div>
      )}
      {properties.length > 0 && (
        <ul class="filters">
          {properties.map((property, at) => (
            <li class="filter" key={at}>
              <PropertyLine
                property={property}
                audience={audience}
                isFirst={at === 0}
                targets={targets}
                flagId={flagId}
                names={names}
                onChange={(next) => updateProperty(at, next)}
                onRemove={() => updateProperty(at, null)}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button small onClick={() => update({ properties: [...properties, newProperty(audience)] })}>
          Add filter
        </Button>
      </div>
      <div class="flag-rollout-fields">
        <RolloutFields
          index={index}
          value={rolloutOf(condition)}
          onChange={(rollout_percentage) => update({ rollout_percentage })}
        />
        {variantsOf(filters).length > 0 && <VariantOverride {...props} onUpdate={update} />}
      </div>
      <MatchCount filters={filters} condition={condition} names={names} />
    </li>
  );
}

/** The steps of a careful release. */
const PRESETS = [1, 10, 25, 50, 100];

function RolloutFields({
  index,
  value,
  onChange,
}: {
  index: number;
  value: number;
  onChange(percentage: number): void;
}) {
  return (
    <>
      <Field label={`Rollout of condition ${index + 1}`}>
        {(control) => (
          <input
            {...control}
            type="range"
            class="slider"
            min={0}
            max={100}
            step={1}
            value={value}
            aria-valuetext={formatRollout(value)}
            onInput={(event) => onChange(Number(event.currentTarget.value))}
          />
        )}
      </Field>
      <fieldset class="rollout-presets">
        <legend class="visually-hidden">Usual rollouts of condition {index + 1}</legend>
        {PRESETS.map((preset) => (
          <Button key={preset} small aria-pressed={preset === value} onClick={() => onChange(preset)}>
            {formatRollout(preset)}
          </Button>
        ))}
      </fieldset>
      <TextField
        label="Rollout percentage"
        type="number"
        min={0}
        max={100}
        step="any"
        value={String(value)}
        onInput={(text) => text !== '' && onChange(Number(text))}
        error={value >= 0 && value <= 100 ? null : 'Enter a number between 0 and 100.'}
      />
    </>
  );
}

const BY_ROLLOUT = { value: '', label: 'By variant rollout' };

function VariantOverride({ filters, condition, onUpdate }: CardProps & { onUpdate(changes: Condition): void }) {
  const options = variantsOf(filters).map((variant) => ({ value: keyOf(variant), label: `Always ${keyOf(variant)}` }));
  return (
    <Select
      label="Variant"
      value={typeof condition.variant === 'string' ? condition.variant : ''}
      options={[BY_ROLLOUT, ...options]}
      onChange={(variant) => onUpdate({ variant: variant === '' ? null : variant })}
    />
  );
}
