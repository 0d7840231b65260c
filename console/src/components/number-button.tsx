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
  // The name starts with what is visible, so that it can be spoken to be clicked.
  const text = [children].flat().join('');
  const name = label.startsWith(text) ? label : `${text}, ${label}`;
  return (
    <button type="button" class="number-button" onClick={onPick} aria-label={`${name}: view persons`}>
      {children}
    </button>
  );
}
