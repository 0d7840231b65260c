import './tag-input.css';
import { useState } from 'preact/hooks';
import { Combobox, type Suggestion } from './combobox.tsx';
import { TextField } from './field.tsx';

export interface TagInputProps {
  label: string;
  value: readonly string[];
  onChange(value: string[]): void;
  suggest?(text: string, signal: AbortSignal): Promise<readonly Suggestion[]>;
  /** What `suggest` depends on besides the text. */
  inputs?: readonly unknown[];
  placeholder?: string;
}

/** Several texts. Enter or a comma adds one; each has a button that takes it away. */
export function TagInput({ label, value, onChange, suggest, inputs, placeholder = 'Add…' }: TagInputProps) {
  const [text, setText] = useState('');
  const add = (raw: string): void => {
    const tag = raw.trim();
    setText('');
    if (tag !== '' && !value.includes(tag)) onChange([...value, tag]);
  };
  const type = (next: string): void => (next.endsWith(',') ? add(next.slice(0, -1)) : setText(next));
  return (
    <div class="tags">
      <Tags value={value} onRemove={(tag) => onChange(value.filter((one) => one !== tag))} />
      {suggest ? (
        <Combobox
          label={label}
          hideLabel
          value={text}
          onChange={type}
          onCommit={add}
          suggest={suggest}
          {...(inputs && { inputs })}
          placeholder={placeholder}
        />
      ) : (
        <TextField
          label={label}
          hideLabel
          value={text}
          onInput={type}
          placeholder={placeholder}
          onBlur={() => add(text)}
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

/** Tags to look at, or to take away where `onRemove` is given. */
export function Tags({ value, onRemove }: { value: readonly string[]; onRemove?: (tag: string) => void }) {
  return (
    <>
      {value.map((tag) => (
        <span class="tag" key={tag}>
          {tag}
          {onRemove && (
            <button type="button" aria-label={`Remove ${tag}`} onClick={() => onRemove(tag)}>
              ×
            </button>
          )}
        </span>
      ))}
    </>
  );
}
