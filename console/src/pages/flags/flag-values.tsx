import { Code } from '../../components/code.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatRollout } from '../../lib/numbers.ts';
import type { Filters } from './model/filters.ts';
import { keyOf, ON, payloadOf, type Variant, variantRollout, variantsOf } from './model/variants.ts';

/** What those get who match: the variants with their shares and payloads, or the payload of a flag without variants. */
export function FlagValues({ filters }: { filters: Filters }) {
  const variants = variantsOf(filters);
  const payload = payloadOf(filters, ON);
  if (variants.length > 0) {
    return <Table label="Variants" columns={columnsOf(filters)} rows={variants} rowKey={rowKeyOf} />;
  }
  if (payload === '') return null;
  return (
    <section class="stack-s" aria-label="Payload">
      <h3>Payload</h3>
      <Code text={payload} label="Payload" />
    </section>
  );
}

const columnsOf = (filters: Filters): Column<Variant>[] => [
  { id: 'key', title: 'Variant', cell: (variant) => <b>{keyOf(variant)}</b> },
  { id: 'rollout', title: 'Rollout', isNumber: true, cell: (variant) => formatRollout(variantRollout(variant)) },
  {
    id: 'payload',
    title: 'Payload',
    cell: (variant) => <code>{payloadOf(filters, keyOf(variant)) || '–'}</code>,
  },
];

/** A variant that was rolled back has a second row of what its persons get now. */
const rowKeyOf = (variant: Variant): string => `${keyOf(variant)} ${String(variant['rolled_back_from'] ?? '')}`;
