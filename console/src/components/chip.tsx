import './chips.css';
import type { ComponentChildren } from 'preact';
import { classes } from '../lib/classes.ts';

interface ChipProps {
  label: string;
  /** What it is, for screen readers: Filter, Breakdown. */
  kind: string;
  /** Opens its panel; without it the chip can only be removed. */
  onOpen?: (() => void) | undefined;
  isOpen?: boolean;
  /** Something is missing before it has an effect. */
  isIncomplete?: boolean;
  onRemove(): void;
  children?: ComponentChildren;
}

/** A setting on one line. */
export function Chip({ label, kind, onOpen, isOpen = false, isIncomplete = false, onRemove, children }: ChipProps) {
  return (
    <span class={classes('chip', isIncomplete && 'is-incomplete')} title={label}>
      {onOpen ? (
        <button type="button" aria-expanded={isOpen} onClick={onOpen}>
          {children ?? label}
        </button>
      ) : (
        <span class="chip-text">{children ?? label}</span>
      )}
      <button type="button" class="chip-remove" aria-label={`Remove ${kind.toLowerCase()} ${label}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
