import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/field.tsx';
import { Badge } from '../../../components/states.tsx';
import { formatNumber } from '../../../lib/format.ts';
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

export interface VariantsProps {
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
            {formatNumber(total)} % {total === 100 ? 'in all' : 'in all: must be 100 %'}
          </Badge>
        </span>
      </header>
      <p class="soft">Each person who gets the flag gets one of these, and keeps it.</p>
      <ol class="flag-list">
        {variants.map((variant, index) => (
          <li key={index} class="flag-item stack-s">
            <VariantRow variant={variant} index={index} filters={filters} onChange={onChange} />
          </li>
        ))}
      </ol>
      <div class="row">
        <Button small onClick={() => onChange(addVariant)}>
          Add a variant
        </Button>
        <Button small onClick={() => onChange(spreadEvenly)}>
          Share equally
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
  const share = variant.rollout_percentage;
  return (
    <>
      <div class="flag-variant">
        <TextField
          label={`Key of variant ${index + 1}`}
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
          label="Share in %"
          type="number"
          min={0}
          max={100}
          step="any"
          value={typeof share === 'number' ? String(share) : ''}
          onInput={(text) =>
            onChange((before) => putVariant(before, index, { rollout_percentage: text === '' ? null : Number(text) }))
          }
        />
        <Button
          kind="quiet"
          small
          disabled={variantsOf(filters).length === 1}
          aria-label={`Remove the variant ${key}`}
          onClick={() => onChange((before) => removeVariant(before, index))}
        >
          Remove
        </Button>
      </div>
      {key !== '' && (
        <details>
          <summary>Payload{hasPayload(filters, key) ? '' : ': none'}</summary>
          <Payload label={`Payload of ${key}`} variant={key} filters={filters} onChange={onChange} />
        </details>
      )}
    </>
  );
}

const hasPayload = ({ payloads }: Filters, key: string): boolean =>
  typeof payloads === 'object' && payloads !== null && Object.hasOwn(payloads, key);
