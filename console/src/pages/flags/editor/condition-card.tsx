import { Button } from '../../../components/button.tsx';
import { Field, Select, TextField } from '../../../components/field.tsx';
import {
  audienceOfCondition,
  type Condition,
  type Property,
  propertiesOf,
  putCondition,
  shareOf,
} from '../model/filters.ts';
import { keyOf, variantsOf } from '../model/variants.ts';
import { ConditionHead } from './condition-head.tsx';
import type { ConditionsProps } from './conditions.tsx';
import { Reach } from './match-count.tsx';
import { newProperty, PropertyLine } from './property-line.tsx';

interface CardProps extends ConditionsProps {
  condition: Condition;
  index: number;
  count: number;
}

export function ConditionCard(props: CardProps) {
  const { filters, onChange, condition, index, names, targets, flagId } = props;
  const audience = audienceOfCondition(filters, condition);
  const properties = propertiesOf(condition);
  const put = (changes: Condition): void =>
    onChange((before) => putCondition(before, index, { ...condition, ...changes }));
  const putProperty = (at: number, next: Property | null): void =>
    put({ properties: next === null ? properties.toSpliced(at, 1) : properties.with(at, next) });
  return (
    <li class="flag-item stack-s" aria-label={`Condition ${index + 1}`}>
      <ConditionHead {...props} />
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
                onChange={(next) => putProperty(at, next)}
                onRemove={() => putProperty(at, null)}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button small onClick={() => put({ properties: [...properties, newProperty(audience)] })}>
          Add a filter
        </Button>
      </div>
      <div class="flag-share">
        <Share
          index={index}
          value={shareOf(condition)}
          onChange={(rollout_percentage) => put({ rollout_percentage })}
        />
        {variantsOf(filters).length > 0 && <Override {...props} onPut={put} />}
      </div>
      <Reach filters={filters} condition={condition} names={names} />
    </li>
  );
}

function Share({ index, value, onChange }: { index: number; value: number; onChange(share: number): void }) {
  return (
    <>
      <Field label={`Share of condition ${index + 1}`}>
        {(control) => (
          <input
            {...control}
            type="range"
            class="slider"
            min={0}
            max={100}
            step={1}
            value={value}
            aria-valuetext={`${value} %`}
            onInput={(event) => onChange(Number(event.currentTarget.value))}
          />
        )}
      </Field>
      <TextField
        label="in %"
        type="number"
        min={0}
        max={100}
        step="any"
        value={String(value)}
        onInput={(text) => text !== '' && onChange(Number(text))}
        error={value >= 0 && value <= 100 ? null : 'Between 0 and 100.'}
      />
    </>
  );
}

const BY_SHARE = { value: '', label: 'by their shares' };

function Override({ filters, condition, onPut }: CardProps & { onPut(changes: Condition): void }) {
  const options = variantsOf(filters).map((variant) => ({ value: keyOf(variant), label: `always ${keyOf(variant)}` }));
  return (
    <Select
      label="Variants are given"
      value={typeof condition.variant === 'string' ? condition.variant : ''}
      options={[BY_SHARE, ...options]}
      onChange={(variant) => onPut({ variant: variant === '' ? null : variant })}
    />
  );
}
