import './button.css';
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { classes } from '../lib/classes.ts';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'size' | 'class'> {
  /** One `primary` per view; `danger` for what cannot be undone; `quiet` for secondary actions. */
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  small?: boolean;
  /** Shows a spinner and disables the button. */
  busy?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = 'plain', small = false, busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classes('button', kind, small && 'small')}
      disabled={disabled === true || busy}
      aria-busy={busy}
    >
      {children}
    </button>
  );
}
