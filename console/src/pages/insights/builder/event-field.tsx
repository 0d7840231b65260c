import { useEffect, useState } from 'preact/hooks';
import { findEventNames } from '../../../api/definitions.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { useProject } from '../../../lib/session.ts';

/** Stands for every event; an event of this very name can still be had with a filter. */
const ANY = 'Any event';

export interface EventFieldProps {
  label: string;
  /** '' for none yet, null for any. */
  value: string | null;
  onChange(value: string | null): void;
  /** Whether any event may be meant. */
  canBeAny?: boolean;
}

/** An event's name, with those that were seen. It counts when it is chosen, not at every letter. */
export function EventField({ label, value, onChange, canBeAny = true }: EventFieldProps) {
  const { id } = useProject();
  const [text, setText] = useState(value ?? ANY);
  useEffect(() => setText(value ?? ANY), [value]);
  const settle = (written: string): void => {
    const next = canBeAny && written === ANY ? null : written.trim();
    setText(next ?? ANY);
    if (next !== value) onChange(next);
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    // All of them while nothing else is written than what was chosen.
    const names = await findEventNames(id, part === (value ?? ANY) ? '' : part, signal);
    const any = canBeAny && (part === '' || ANY.toLowerCase().includes(part.toLowerCase())) ? [{ value: ANY }] : [];
    return [...names.map((name) => ({ value: name })), ...any];
  };
  return (
    // What was written counts when the field is left, too.
    <div onFocusOut={() => settle(text)}>
      <Combobox
        label={label}
        hideLabel
        placeholder="event"
        value={text}
        onChange={setText}
        onCommit={settle}
        suggest={suggest}
        inputs={[id, value]}
      />
    </div>
  );
}
