import './tabs.css';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Tab<T extends string> {
  id: T;
  label: ComponentChildren;
}

interface TabsProps<T extends string> {
  /** For screen readers. */
  label: string;
  tabs: readonly Tab<T>[];
  value: T;
  onChange(id: T): void;
  /** The content of the selected tab. */
  children: ComponentChildren;
}

/** Arrow keys move between tabs. Keep `value` in the URL with `useQueryState`. */
export function Tabs<T extends string>({ label, tabs, value, onChange, children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the selected tab may be outside of what is visible of the list.
  useLayoutEffect(() => {
    const selected = document.getElementById(`${id}-${value}`);
    if (!list.current || !selected) return;
    list.current.scrollLeft = selected.offsetLeft - (list.current.clientWidth - selected.offsetWidth) / 2;
  }, [id, value]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex((tab) => tab.id === value);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs" ref={list} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            type="button"
            key={tab.id}
            id={`${id}-${tab.id}`}
            role="tab"
            aria-selected={tab.id === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === value ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="stack" id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </div>
  );
}
