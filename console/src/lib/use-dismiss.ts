import { useEffect, useRef } from 'preact/hooks';

/** Calls `close` on Escape and on a click outside of the element, while `isOpen`. */
export function useDismiss(
  element: { readonly current: HTMLElement | null },
  isOpen: boolean,
  close: () => void,
): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!isOpen) return;
    // Not on `pointerdown`: a field that is left must be able to take what was typed first. Not by `contains`: what was
    // clicked may have been removed by its own handler.
    const onClick = (event: Event): void => {
      if (element.current && !event.composedPath().includes(element.current)) latest.current();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) latest.current();
    };
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey);
    };
  }, [element, isOpen]);
}
