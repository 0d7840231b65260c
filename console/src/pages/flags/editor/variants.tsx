import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/field.tsx';
import { Badge } from '../../../components/states.tsx';
import { formatRollout } from '../../../lib/numbers.ts';
import { variantProblem } from '../model/draft.ts';
import type { Filters } from '../model/filters.ts';
import {
  addVariant,
  keyOf,
  putVariant,
  removeVariant,
  renameVariant,
  spreadEvenly,
  totalOf,
  type Variant,
  variantsOf,
} from '../model/variants.ts';
import { Payload } from './payload-field.tsx';

interface VariantsProps {
  filters: Filters;
  onChange(change: (filters: Filters) => Filters): void;
}

export function Variants({ filters, onChange }: VariantsProps) {
  const variants = variantsOf(filters);
  const total = totalOf(variants);
  return (
    <section class="card stack" aria-label="Variants">
      <header class="row">
        <h2>Variants</h2>
        <span class="push" role="status">
          <Badge tone={total === 100 ? 'good' : 'bad'}>
            {formatRollout(total)} total{total === 100 ? '' : `, must be ${formatRollout(100)}`}
          </Badge>
        </span>
      </header>
      <p class="muted">Each person who gets the flag is assigned one variant and keeps it.</p>
      <ol class="flag-list">
        {variants.map((variant, index) => (
          <li key={index} class="flag-item stack-s">
            <VariantRow variant={variant} index={index} filters={filters} onChange={onChange} />
          </li>
        ))}
      </ol>
      <div class="row">
        <Button small onClick={() => onChange(addVariant)}>
          Add variant
        </Button>
        <Button small onClick={() => onChange(spreadEvenly)}>
          Distribute equally
        </Button>
      </div>
    </section>
  );
}

interface RowProps extends VariantsProps {
  variant: Variant;
  index: number;
}

function VariantRow({ variant, index, filters, onChange }: RowProps) {
  const key = keyOf(variant);
  const percentage = variant.rollout_percentage;
  return (
    <>
      <div class="flag-variant">
        <TextField
          label={`Variant ${index + 1} key`}
          value={key}
          spellcheck={false}
          onInput={(next) => onChange((before) => renameVariant(before, index, next))}
          error={variantProblem(filters, index)}
        />
        <TextField
          label="Description"
          value={typeof variant.name === 'string' ? variant.name : ''}
          onInput={(name) => onChange((before) => putVariant(before, index, { name }))}
        />
        <TextField
          label="Rollout percentage"
          type="number"
          min={0}
          max={100}
          step="any"
          value={typeof percentage === 'number' ? String(percentage) : ''}
          onInput={(text) =>
            onChange((before) => putVariant(before, index, { rollout_percentage: text === '' ? null : Number(text) }))
          }
        />
        <Button
          kind="quiet"
          small
          disabled={variantsOf(filters).length === 1}
          aria-label={`Remove variant ${key}`}
          onClick={() => onChange((before) => removeVariant(before, index))}
        >
          Remove
        </Button>
      </div>
      {key !== '' && (
        <details>
          <summary>{hasPayload(filters, key) ? 'Payload' : 'Add payload'}</summary>
          <Payload label={`Payload of ${key}`} variant={key} filters={filters} onChange={onChange} />
        </details>
      )}
    </>
  );
}

const hasPayload = ({ payloads }: Filters, key: string): boolean =>
  typeof payloads === 'object' && payloads !== null && Object.hasOwn(payloads, key);
