import { useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Field, Select, TextField } from '../../parts/field.tsx';
import type { ConditionsProps } from './conditions.tsx';
import {
  audienceOfCondition,
  type Condition,
  copyCondition,
  moveCondition,
  type Property,
  propertiesOf,
  putCondition,
  removeCondition,
  shareOf,
} from './filters-model.ts';
import { newProperty, PropertyLine } from './property-line.tsx';
import { Reach } from './reach.tsx';
import { keyOf, variantsOf } from './variants-model.ts';
import { conditionSentence } from './words.ts';

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
      <Head {...props} />
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

function Head({ filters, condition, index, count, onChange, names }: CardProps) {
  const number = index + 1;
  const head = useRef<HTMLElement>(null);
  /** The focus goes along with the condition, so that the same key moves it on. */
  const move = (by: -1 | 1): void => {
    const item = head.current?.closest('li');
    const target = by < 0 ? item?.previousElementSibling : item?.nextElementSibling;
    onChange((before) => moveCondition(before, index, by));
    const [up, down] = target?.querySelectorAll<HTMLElement>('.flag-head .button') ?? [];
    // The last of the two that can be pressed has it: at an end, one of them cannot.
    requestAnimationFrame(() => {
      for (const button of by < 0 ? [down, up] : [up, down]) button?.focus();
    });
  };
  return (
    <header class="flag-head" ref={head}>
      <p>
        <span class="soft small">Condition {number}</span>
        <br />
        <b class="sentence">{conditionSentence(filters, condition, names)}</b>
      </p>
      <span class="row">
        <Button
          kind="quiet"
          small
          disabled={index === 0}
          aria-label={`Move condition ${number} up`}
          onClick={() => move(-1)}
        >
          ↑
        </Button>
        <Button
          kind="quiet"
          small
          disabled={index === count - 1}
          aria-label={`Move condition ${number} down`}
          onClick={() => move(1)}
        >
          ↓
        </Button>
        <Button
          kind="quiet"
          small
          aria-label={`Copy condition ${number}`}
          onClick={() => onChange((before) => copyCondition(before, index))}
        >
          Copy
        </Button>
        <Button
          kind="quiet"
          small
          aria-label={`Remove condition ${number}`}
          onClick={() => onChange((before) => removeCondition(before, index))}
        >
          Remove
        </Button>
      </span>
    </header>
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
