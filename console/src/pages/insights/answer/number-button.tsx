import type { ComponentChildren } from 'preact';

export interface NumberButtonProps {
  /** Null: nobody stands behind it. */
  onPick: (() => void) | null;
  /** What the number is of, for screen readers. */
  label: string;
  children: ComponentChildren;
}

/** A number that opens the persons behind it. */
export function NumberButton({ onPick, label, children }: NumberButtonProps) {
  if (onPick === null) return <span>{children}</span>;
  return (
    <button type="button" class="number-button" onClick={onPick} aria-label={`${label}: show the persons`}>
      {children}
    </button>
  );
}
