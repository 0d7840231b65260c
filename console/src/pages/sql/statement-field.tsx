import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { SqlSchema } from '../../api/sql.ts';
import { type Suggestion, suggest, wordAt } from './completion.ts';

interface StatementFieldProps {
  value: string;
  schema: SqlSchema | undefined;
  onChange(sql: string): void;
  onRun(): void;
  onFocus(insert: (text: string) => void): void;
}

interface Open {
  from: number;
  items: Suggestion[];
  selected: number;
  /** An arrow key was pressed, so Enter means this one. */
  isChosen: boolean;
  line: number;
  column: number;
}

const MIN_LETTERS = 2;

/** A text field that suggests names of tables, columns and functions. Tab takes the first one. */
export function StatementField({ value, schema, onChange, onRun, onFocus }: StatementFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef<number | null>(null);
  const list = useId();
  const [open, setOpen] = useState<Open | null>(null);
  useEffect(() => {
    if (cursor.current === null || value.length < cursor.current) return;
    field.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  }, [value]);
  const look = (minLetters: number): void => {
    const at = field.current?.selectionStart ?? 0;
    const text = field.current?.value ?? '';
    const found = schema && wordAt(text, at);
    const items = found && found.word.length >= minLetters ? suggest(schema, text, found.word) : [];
    if (!found || items.length === 0) {
      setOpen(null);
      return;
    }
    const lines = text.slice(0, found.from).split('\n');
    const place = { line: lines.length, column: lines.at(-1)?.length ?? 0 };
    setOpen({ from: found.from, items, selected: 0, isChosen: false, ...place });
  };
  const replace = (from: number, to: number, text: string): void => {
    // It may be called long after this was drawn.
    const now = field.current?.value ?? value;
    cursor.current = from + text.length;
    onChange(now.slice(0, from) + text + now.slice(to));
    field.current?.focus();
  };
  const take = (item: Suggestion): void => {
    if (open) replace(open.from, field.current?.selectionStart ?? open.from, item.text);
    setOpen(null);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const isWithControl = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && isWithControl) {
      setOpen(null);
      onRun();
    } else if (event.key === ' ' && isWithControl) look(1);
    else if (open && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
      const step = event.key === 'ArrowDown' ? (open.isChosen ? 1 : 0) : -1;
      const selected = (open.selected + step + open.items.length) % open.items.length;
      setOpen({ ...open, selected, isChosen: true });
    } else if (open && event.key === 'Escape') setOpen(null);
    else {
      const item = open?.items[open.selected];
      if (!item || !(event.key === 'Tab' || (event.key === 'Enter' && open?.isChosen))) return;
      take(item);
    }
    event.preventDefault();
  };
  return (
    <div class="sql-field">
      <textarea
        ref={field}
        class="sql-text"
        aria-label="SQL statement"
        aria-autocomplete="list"
        aria-controls={open ? list : undefined}
        aria-activedescendant={open ? `${list}-${open.selected}` : undefined}
        spellcheck={false}
        wrap="off"
        rows={Math.min(20, Math.max(4, value.split('\n').length + 1))}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          look(MIN_LETTERS);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(null)}
        onFocus={() =>
          onFocus((text) => {
            const { selectionStart: from = 0, selectionEnd: to = 0 } = field.current ?? {};
            replace(from, to, text);
          })
        }
      />
      {open && (
        <div
          id={list}
          role="listbox"
          aria-label="Suggestions"
          class="sql-suggestions"
          style={{ '--line': open.line, '--column': open.column }}
        >
          {open.items.map((item, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field handles keys
            <div
              key={item.text}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === open.selected}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(item)}
            >
              <span>{item.text}</span> <span class="muted">{item.kind}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
