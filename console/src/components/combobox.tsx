import './combobox.css';
import { Fragment } from 'preact';
import { useId, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import type { NameTable } from '../lib/friendly-names.ts';
import { useDebounced } from '../lib/use-debounced.ts';
import { useResource } from '../lib/use-resource.ts';
import { Field, type FieldProps } from './field.tsx';

export interface Suggestion {
  value: string;
  /** Shown instead of the value. */
  label?: string;
  /** Shown beside it: a type, a raw name. */
  note?: string;
  /** Shown below it. */
  description?: string;
  /** The heading that it is listed under; suggestions of a section are next to each other. */
  section?: string;
}

interface ComboboxProps extends FieldProps {
  value: string;
  /** On every keystroke and every picked suggestion. */
  onChange(value: string): void;
  /** When a suggestion is picked or Enter is pressed. */
  onCommit?(value: string): void;
  suggest(text: string, signal: AbortSignal): Promise<readonly Suggestion[]>;
  /** What `suggest` depends on besides the text. */
  inputs?: readonly unknown[];
  placeholder?: string;
  /** Shows labels for raw names; `value` is always the raw name. */
  names?: NameTable;
}

/** A text field with suggestions. */
export function Combobox(props: ComboboxProps) {
  const { value, onChange, onCommit, suggest, inputs = [], placeholder, names, ...field } = props;
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  // By the arrow keys. Not by the mouse: the list may open below a resting one, and Enter would take what is there.
  const [active, setActive] = useState(-1);
  const [typed, setTyped] = useState<string | null>(null);
  const nameOf = (text: string): string => names?.nameOf(text) ?? text;
  // What is being typed stays as it is: `$browser` must not become its label on the way to `$browser_version`.
  const shownValue = typed !== null && nameOf(typed) === value ? typed : (names?.label(value) ?? value);
  const text = useDebounced(value, 150);
  const found = useResource(isOpen ? (signal) => suggest(text, signal) : null, [text, ...inputs]);
  const items = found.data ?? [];
  // No list when the only suggestion is what was typed already: it would cover the next field.
  const isShown = isOpen && !(items.length === 1 && items[0]?.value === value);
  const pick = (item: Suggestion): void => {
    setTyped(null);
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
      if (item) pick(item);
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
            value={shownValue}
            title={shownValue === value ? undefined : value}
            onFocus={() => setOpen(true)}
            onBlur={() => {
              setTyped(null);
              setOpen(false);
            }}
            onKeyDown={onKeyDown}
            onInput={(event) => {
              setOpen(true);
              setActive(-1);
              setTyped(event.currentTarget.value);
              onChange(nameOf(event.currentTarget.value));
            }}
          />
          {isShown && (
            <div class="combobox-list" id={listId} role="listbox" aria-label={field.label}>
              {items.map((item, index) => (
                <Fragment key={`${item.section} ${item.value}`}>
                  {item.section !== undefined && item.section !== items[index - 1]?.section && (
                    <div class="section" role="presentation">
                      {item.section}
                    </div>
                  )}
                  {/* biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles keys */}
                  <div
                    id={`${listId}-${index}`}
                    role="option"
                    aria-selected={index === active}
                    // Keeps the focus in the input; losing it would close the list.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => pick(item)}
                  >
                    {item.label ?? names?.label(item.value) ?? item.value}
                    <SuggestionNote item={item} names={names} />
                  </div>
                </Fragment>
              ))}
              {items.length === 0 && (
                <div class="note" role="presentation">
                  {found.error ? messageOf(found.error) : found.loading ? 'Loading…' : 'No matches'}
                </div>
              )}
            </div>
          )}
        </div>
      )}
    </Field>
  );
}

/** The raw name, the note and the description of a suggestion. */
function SuggestionNote({ item, names }: { item: Suggestion; names: NameTable | undefined }) {
  const rawName = names && names.label(item.value) !== item.value ? item.value : null;
  return (
    <>
      {rawName && [' ', <code class="raw-name">{rawName}</code>]}
      {item.note && <span class="muted small"> {item.note}</span>}
      {item.description && <span class="description">{item.description}</span>}
    </>
  );
}
