import './menu.css';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { classes } from '../lib/classes.ts';

interface MenuProps {
  label: ComponentChildren;
  /** Opens upwards. */
  up?: boolean;
  /** Links and buttons. */
  children: ComponentChildren;
}

/** Closes on Escape, on a choice, and on a click elsewhere. */
export function Menu({ label, up = false, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = useCallback(() => {
    if (details.current) details.current.open = false;
  }, []);
  useEffect(() => {
    const onPointer = (event: Event): void => {
      if (!details.current?.contains(event.target as Node)) close();
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [close]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !details.current?.open) return;
    close();
    details.current.querySelector('summary')?.focus();
  };
  return (
    <details class={classes('menu', up && 'up')} ref={details} onKeyDown={onKeyDown}>
      <summary>{label}</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: closes after a choice */}
      <div class="menu-list" onClick={close}>
        {children}
      </div>
    </details>
  );
}
