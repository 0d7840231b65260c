import { findValues } from '../../../api/definitions.ts';
import { findGroupValues } from '../../../api/flag-targets.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { TextField } from '../../../components/field.tsx';
import { TagInput } from '../../../components/tag-input.tsx';
import { useProject } from '../../../lib/session.ts';
import type { Property } from '../model/filters.ts';
import { formOf, operatorOf, valuesFrom, valuesOf } from '../model/operators.ts';

interface PropertyValueProps {
  property: Property;
  audience: number | null;
  onChange(value: unknown): void;
}

export function PropertyValue({ property, audience, onChange }: PropertyValueProps) {
  const { id } = useProject();
  const key = String(property.key ?? '');
  const suggest = async (text: string, signal: AbortSignal): Promise<Suggestion[]> => {
    if (key === '') return [];
    const found =
      audience === null
        ? findValues(id, 'person', key, text, signal)
        : findGroupValues(id, audience, key, text, signal);
    return (await found).map((value) => ({ value }));
  };
  const inputs = [id, key, audience];
  const texts = valuesOf(property.value);
  switch (formOf(operatorOf(property))) {
    case 'none':
      return <span />;
    case 'list':
      return (
        <TagInput
          label="Values"
          value={texts}
          onChange={(next) => onChange(valuesFrom(next, property.value))}
          suggest={suggest}
          inputs={inputs}
          placeholder="Enter value"
        />
      );
    case 'range':
      return <Range value={property.value} onChange={onChange} />;
    case 'date':
      return (
        <TextField
          label="Date"
          hideLabel
          placeholder="2026-01-31 or -30d"
          value={texts[0] ?? ''}
          onInput={onChange}
          spellcheck={false}
        />
      );
    case 'text':
      return (
        <Combobox
          label="Value"
          hideLabel
          placeholder="Enter value"
          value={texts[0] ?? ''}
          onChange={onChange}
          suggest={suggest}
          inputs={inputs}
        />
      );
  }
}

function Range({ value, onChange }: { value: unknown; onChange(value: unknown): void }) {
  const [from = '', to = ''] = Array.isArray(value) ? value : [];
  return (
    <div class="flag-range">
      <TextField
        label="From"
        hideLabel
        type="number"
        step="any"
        value={String(from)}
        onInput={(text) => onChange([text, to])}
      />
      <span class="word">and</span>
      <TextField
        label="To"
        hideLabel
        type="number"
        step="any"
        value={String(to)}
        onInput={(text) => onChange([from, text])}
      />
    </div>
  );
}
