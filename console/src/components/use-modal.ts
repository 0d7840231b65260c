import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Opens a dialog as long as it is rendered; the focus then returns to where it was. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    if (current) firstControl(current)?.focus();
    return () => {
      current?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return dialog;
}

/** Where typing starts: the first field, or else the first button at the bottom. Browsers would focus 'Close'. */
const firstControl = (dialog: HTMLElement): HTMLElement | null =>
  dialog.querySelector<HTMLElement>('[autofocus]') ??
  dialog.querySelector<HTMLElement>(':is(input, select, textarea):not(:disabled, [type="hidden"])') ??
  dialog.querySelector<HTMLElement>('footer button');
