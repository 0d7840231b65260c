import { useEffect, useState } from 'preact/hooks';
import { findProperties, type PropertyOwner } from '../../../api/definitions.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { PROPERTY_NAMES } from '../../../lib/friendly-names.ts';
import { useProject } from '../../../lib/session.ts';
import { findSessionStatistics } from '../../../lib/session-properties.ts';

interface PropertyFieldProps {
  label: string;
  /** `number`: what can be summed and averaged, of events or of their sessions. */
  owner: PropertyOwner | 'number';
  value: string;
  onChange(value: string): void;
  hideLabel?: boolean;
}

/** Changes when a property is picked or the field is left, not on every keystroke. */
export function PropertyField({ label, owner, value, onChange, hideLabel = true }: PropertyFieldProps) {
  const { id } = useProject();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = (typed: string): void => {
    if (typed !== value) onChange(typed);
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    const search = part === value ? '' : part;
    const found = await findProperties(id, owner === 'number' ? 'event' : owner, search, signal);
    const ofSessions = owner === 'number' ? findSessionStatistics(search) : [];
    return [...found.map(({ name }) => name), ...ofSessions].map((value) => ({ value }));
  };
  return (
    <div onFocusOut={() => commit(text)}>
      <Combobox
        label={label}
        hideLabel={hideLabel}
        placeholder="Select property"
        names={PROPERTY_NAMES}
        value={text}
        onChange={setText}
        onCommit={commit}
        suggest={suggest}
        inputs={[id, owner, value]}
      />
    </div>
  );
}
