import { useEffect, useState } from 'preact/hooks';
import { findProperties, type PropertyOwner } from '../../../api/definitions.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { useProject } from '../../../lib/session.ts';

export interface PropertyFieldProps {
  label: string;
  owner: PropertyOwner;
  value: string;
  onChange(value: string): void;
  hideLabel?: boolean;
}

/** A property's name, with those that were seen. It counts when it is chosen, not at every letter. */
export function PropertyField({ label, owner, value, onChange, hideLabel = true }: PropertyFieldProps) {
  const { id } = useProject();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const settle = (written: string): void => {
    if (written !== value) onChange(written);
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    const found = await findProperties(id, owner, part === value ? '' : part, signal);
    return found.map(({ name, property_type }) => ({ value: name, ...(property_type && { note: property_type }) }));
  };
  return (
    // What was written counts when the field is left, too.
    <div onFocusOut={() => settle(text)}>
      <Combobox
        label={label}
        hideLabel={hideLabel}
        placeholder="property"
        value={text}
        onChange={setText}
        onCommit={settle}
        suggest={suggest}
        inputs={[id, owner, value]}
      />
    </div>
  );
}
