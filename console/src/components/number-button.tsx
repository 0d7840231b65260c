import './number-button.css';
import type { ComponentChildren } from 'preact';

interface NumberButtonProps {
  /** Null if there are no persons to show. */
  onPick: (() => void) | null;
  /** For screen readers. */
  label: string;
  children: ComponentChildren;
}

/** A number that opens the persons behind it. */
export function NumberButton({ onPick, label, children }: NumberButtonProps) {
  if (onPick === null) return <span>{children}</span>;
  return (
    <button type="button" class="number-button" onClick={onPick} aria-label={`${label}: view persons`}>
      {children}
    </button>
  );
}
