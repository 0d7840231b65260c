import { useEffect, useState } from 'preact/hooks';
import { findEventNames } from '../../../api/definitions.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { EVENT_NAMES } from '../../../lib/friendly-names.ts';
import { useProject } from '../../../lib/session.ts';

/** A custom event of this name can still be selected with a filter. */
const ALL = 'All events';

interface EventFieldProps {
  label: string;
  /** '' for none yet, null for all events. */
  value: string | null;
  onChange(value: string | null): void;
  /** Whether 'All events' can be selected. */
  allowsAll?: boolean;
}

/** Changes when an event is picked or the field is left, not on every keystroke. */
export function EventField({ label, value, onChange, allowsAll = true }: EventFieldProps) {
  const { id } = useProject();
  const [text, setText] = useState(value ?? ALL);
  useEffect(() => setText(value ?? ALL), [value]);
  const commit = (typed: string): void => {
    const next = allowsAll && typed === ALL ? null : typed.trim();
    setText(next ?? ALL);
    if (next !== value) onChange(next);
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    // Suggest everything until the text differs from the selected event.
    const names = await findEventNames(id, part === (value ?? ALL) ? '' : part, signal);
    const all = allowsAll && (part === '' || ALL.toLowerCase().includes(part.toLowerCase())) ? [{ value: ALL }] : [];
    return [...names.map((name) => ({ value: name })), ...all];
  };
  return (
    <div onFocusOut={() => commit(text)}>
      <Combobox
        label={label}
        hideLabel
        placeholder="Select event"
        names={EVENT_NAMES}
        value={text}
        onChange={setText}
        onCommit={commit}
        suggest={suggest}
        inputs={[id, value]}
      />
    </div>
  );
}
