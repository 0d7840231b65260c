import { useState } from 'preact/hooks';
import { TextField } from '../../components/field.tsx';

export interface InlineTextProps {
  label: string;
  value: string;
  placeholder: string;
  onSave(value: string): void;
}

/** A text that becomes a field when it is pressed. Enter and leaving save, Escape leaves it as it was. */
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
        aria-label={`${label}: ${value || 'none'}. Edit`}
        onClick={() => setDraft(value)}
      >
        {value === '' ? <span class="soft">{placeholder}</span> : value}
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
