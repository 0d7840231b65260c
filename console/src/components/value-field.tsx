import { findValues } from '../api/definitions.ts';
import { findGroupValues } from '../api/flag-targets.ts';
import { findSessionValues } from '../api/session-values.ts';
import { takesDate, takesList, takesNothing, type ValueFilter, valuesOf } from '../lib/filters.ts';
import { useProject } from '../lib/session.ts';
import { Combobox, type Suggestion } from './combobox.tsx';
import { TextField } from './field.tsx';
import { TagInput } from './tag-input.tsx';

interface ValueFieldProps {
  filter: ValueFilter;
  onChange(value: string | string[]): void;
}

/** The value of a filter: tags, a date, a text, or nothing, as its operator takes it. */
export function ValueField({ filter, onChange }: ValueFieldProps) {
  const { id } = useProject();
  const { type, key, operator, value } = filter;
  const find = (text: string, signal: AbortSignal): Promise<string[]> => {
    if (filter.type === 'group') return findGroupValues(id, filter.group_type_index, key, text, signal);
    if (filter.type === 'session') return findSessionValues(id, key, text, signal);
    return findValues(id, filter.type, key, text, signal);
  };
  const suggest = async (text: string, signal: AbortSignal): Promise<Suggestion[]> =>
    key === '' ? [] : (await find(text, signal)).map((one) => ({ value: one }));
  const inputs = [id, type, key];
  const text = valuesOf(value)[0] ?? '';
  if (takesNothing(operator)) return <span />;
  if (takesList(operator)) {
    return (
      <TagInput
        label="Values"
        value={valuesOf(value)}
        onChange={onChange}
        suggest={suggest}
        inputs={inputs}
        placeholder="Enter value"
      />
    );
  }
  if (takesDate(operator)) {
    return <TextField label="Date" hideLabel type="date" value={text} onInput={onChange} />;
  }
  return (
    <Combobox
      label="Value"
      hideLabel
      placeholder="Enter value"
      value={text}
      onChange={onChange}
      suggest={suggest}
      inputs={inputs}
    />
  );
}
