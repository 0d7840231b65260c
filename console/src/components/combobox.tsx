import { messageOf } from '../api/api-error.ts';
import './combobox.css';
import { useId, useState } from 'preact/hooks';
import { useDebounced } from '../lib/use-debounced.ts';
import { useResource } from '../lib/use-resource.ts';
import { Field, type FieldProps } from './field.tsx';

export interface Suggestion {
  value: string;
  /** Shown in place of the value. */
  label?: string;
  /** A word beside it: a type, a count. */
  note?: string;
}

export interface ComboboxProps extends FieldProps {
  value: string;
  /** Every letter, and every suggestion that is taken. */
  onChange(value: string): void;
  /** When a value is settled: a suggestion was taken, or Enter was pressed. */
  onCommit?(value: string): void;
  suggest(text: string, signal: AbortSignal): Promise<readonly Suggestion[]>;
  /** What `suggest` depends on besides the text. */
  inputs?: readonly unknown[];
  placeholder?: string;
}

/** A field for any text, that suggests what there is while one writes. Arrow keys, Enter, Escape. */
export function Combobox({ value, onChange, onCommit, suggest, inputs = [], placeholder, ...field }: ComboboxProps) {
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const text = useDebounced(value, 150);
  const found = useResource(isOpen ? (signal) => suggest(text, signal) : null, [text, ...inputs]);
  const items = found.data ?? [];
  // What is written already needs no suggestion, and a list would lie over what comes next.
  const isShown = isOpen && !(items.length === 1 && items[0]?.value === value);
  const take = (item: Suggestion): void => {
    onChange(item.value);
    onCommit?.(item.value);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((index) => (items.length === 0 ? -1 : (index + step + items.length) % items.length));
    } else if (event.key === 'Enter') {
      const item = isShown ? items[active] : undefined;
      if (item || onCommit) event.preventDefault();
      if (item) take(item);
      else {
        onCommit?.(value);
        setOpen(false);
      }
    } else if (event.key === 'Escape' && isShown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <Field {...field}>
      {(control) => (
        <div class="combobox">
          <input
            {...control}
            class="input"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={isShown}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
            placeholder={placeholder ?? ''}
            value={value}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
            onInput={(event) => {
              setOpen(true);
              setActive(-1);
              onChange(event.currentTarget.value);
            }}
          />
          {isShown && (
            <div class="combobox-list" id={listId} role="listbox" aria-label={field.label}>
              {items.map((item, index) => (
                // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
                <div
                  key={item.value}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  // Before the field loses the focus, which would close the list.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => take(item)}
                  onMouseEnter={() => setActive(index)}
                >
                  {item.label ?? item.value} {item.note && <span class="soft small">{item.note}</span>}
                </div>
              ))}
              {items.length === 0 && (
                <div class="note" role="presentation">
                  {found.error
                    ? messageOf(found.error)
                    : found.loading
                      ? 'Looking…'
                      : 'Nothing like that has been seen.'}
                </div>
              )}
            </div>
          )}
        </div>
      )}
    </Field>
  );
}
