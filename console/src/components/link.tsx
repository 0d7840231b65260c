import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { navigate } from '../lib/router.ts';

interface LinkProps {
  /** A path of the console. */
  to: string;
  class?: string;
  title?: string;
  'aria-current'?: 'page' | 'true' | undefined;
  onClick?(event: TargetedMouseEvent<HTMLAnchorElement>): void;
  children: ComponentChildren;
}

/** A link within the console: a plain click navigates without loading the page anew. */
export function Link({ to, children, onClick, ...rest }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
