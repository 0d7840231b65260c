import './tag-input.css';
import { useState } from 'preact/hooks';
import type { NameTable } from '../lib/friendly-names.ts';
import { Combobox, type Suggestion } from './combobox.tsx';
import { TextField } from './field.tsx';

interface TagInputProps {
  label: string;
  value: readonly string[];
  onChange(value: string[]): void;
  suggest?(text: string, signal: AbortSignal): Promise<readonly Suggestion[]>;
  /** What `suggest` depends on besides the text. */
  inputs?: readonly unknown[];
  placeholder?: string;
  /** Shows labels for raw names. */
  names?: NameTable;
}

/** Several texts: Enter, a comma or leaving the field adds one. */
export function TagInput({ label, value, onChange, suggest, inputs, placeholder = 'Add…', names }: TagInputProps) {
  const [text, setText] = useState('');
  const add = (raw: string): void => {
    const tag = raw.trim();
    setText('');
    if (tag !== '' && !value.includes(tag)) onChange([...value, tag]);
  };
  const type = (next: string): void => (next.endsWith(',') ? add(next.slice(0, -1)) : setText(next));
  return (
    <div class="tags" onFocusOut={() => add(text)}>
      <Tags value={value} names={names} onRemove={(tag) => onChange(value.filter((one) => one !== tag))} />
      {suggest ? (
        <Combobox
          label={label}
          hideLabel
          value={text}
          onChange={type}
          onCommit={add}
          suggest={suggest}
          {...(inputs && { inputs })}
          {...(names && { names })}
          placeholder={placeholder}
        />
      ) : (
        <TextField
          label={label}
          hideLabel
          value={text}
          onInput={type}
          placeholder={placeholder}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add(text);
          }}
        />
      )}
    </div>
  );
}

interface TagsProps {
  value: readonly string[];
  names?: NameTable | undefined;
  onRemove?: (tag: string) => void;
}

export function Tags({ value, names, onRemove }: TagsProps) {
  const labelOf = (tag: string): string => names?.label(tag) ?? tag;
  return (
    <>
      {value.map((tag) => (
        <span class="tag" key={tag} title={labelOf(tag) === tag ? undefined : tag}>
          {labelOf(tag)}
          {onRemove && (
            <button type="button" aria-label={`Remove ${labelOf(tag)}`} onClick={() => onRemove(tag)}>
              ×
            </button>
          )}
        </span>
      ))}
    </>
  );
}
