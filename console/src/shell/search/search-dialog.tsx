import './search.css';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../api/api-error.ts';
import { Icon } from '../../components/icon.tsx';
import { useModal } from '../../components/use-modal.ts';
import { navigate } from '../../lib/router.ts';
import { useSession } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useResource } from '../../lib/use-resource.ts';
import { findContent, findPages, type Result } from './results.ts';

/** Type, choose with the arrow keys, Enter. */
export function SearchDialog({ onClose }: { onClose(): void }) {
  const { project } = useSession();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const search = useDebounced(text.trim(), 150);
  const content = useResource(search === '' ? null : (signal) => findContent(project.id, search, signal), [search]);
  const results = [...findPages(project.id, text.trim()), ...(search === '' ? [] : (content.data ?? []))];
  const open = (result: Result | undefined): void => {
    if (!result) return;
    onClose();
    navigate(result.path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(results[active]);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || results.length === 0) return;
    event.preventDefault();
    setActive((active + step + results.length) % results.length);
  };
  const change = (next: string): void => {
    setText(next);
    setActive(0);
  };
  const listId = useId();
  return (
    <Modal onClose={onClose}>
      <div class="search-box">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={results.length > 0 ? `${listId}-${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          autofocus
          placeholder="Search pages, insights, dashboards, flags, persons, cohorts, events"
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <Results listId={listId} results={results} active={active} onHover={setActive} onOpen={open} />
      {results.length === 0 && (
        <p class="search-note" role="status">
          {content.error
            ? messageOf(content.error)
            : content.loading || search !== text.trim()
              ? 'Searching…'
              : 'No matches'}
        </p>
      )}
    </Modal>
  );
}

function Modal({ onClose, children }: { onClose(): void; children: ComponentChildren }) {
  const dialog = useModal();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      class="dialog search"
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      {children}
    </dialog>
  );
}

interface ResultsProps {
  listId: string;
  results: readonly Result[];
  active: number;
  onHover(index: number): void;
  onOpen(result: Result): void;
}

function Results({ listId, results, active, onHover, onOpen }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[aria-selected="true"]`)?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <div class="search-results" id={listId} ref={list} role="listbox" aria-label="Results">
      {results.map((result, index) => (
        <Fragment key={result.path}>
          {result.section !== results[index - 1]?.section && (
            <div class="section" role="presentation">
              {result.section}
            </div>
          )}
          {/* biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles keys */}
          <div
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => index !== active && onHover(index)}
            onClick={() => onOpen(result)}
          >
            <Icon name={result.icon} />
            <span class="truncate">{result.label}</span>
            {result.note && <span class="muted small truncate">{result.note}</span>}
          </div>
        </Fragment>
      ))}
    </div>
  );
}
