import { useState } from 'preact/hooks';
import { TextField } from '../../components/field.tsx';

interface InlineTextProps {
  label: string;
  value: string;
  placeholder: string;
  onSave(value: string): void;
}

/** A text that becomes an input on click. Enter and blur save, Escape cancels. */
export function InlineText({ label, value, placeholder, onSave }: InlineTextProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const finish = (): void => {
    if (draft !== null && draft !== value) onSave(draft);
    setDraft(null);
  };
  if (draft === null) {
    return (
      <button
        type="button"
        class="inline-edit"
        aria-label={`${value || placeholder}: edit ${label}`}
        onClick={() => setDraft(value)}
      >
        {value === '' ? <span class="muted">{placeholder}</span> : value}
      </button>
    );
  }
  return (
    <div ref={(element) => element?.querySelector('input')?.focus()}>
      <TextField
        label={label}
        hideLabel
        value={draft}
        onInput={setDraft}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish();
          else if (event.key === 'Escape') setDraft(null);
        }}
      />
    </div>
  );
}
