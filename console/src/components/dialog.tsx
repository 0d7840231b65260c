import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { classes } from '../lib/classes.ts';
import { useAction } from '../lib/use-resource.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { ErrorNote } from './states.tsx';

export interface DialogProps {
  title: ComponentChildren;
  onClose(): void;
  /** Along the right edge, for looking at a thing without leaving the list. */
  side?: boolean;
  /** Buttons at the end. */
  footer?: ComponentChildren;
  children: ComponentChildren;
}

/** The browser's own dialog: it keeps the focus, closes on Escape, and gives the focus back. Draw it to open it. */
export function Dialog({ title, onClose, side = false, footer, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it, and the browser's own
    <dialog
      ref={dialog}
      class={classes('dialog', side && 'side')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A click on what lies behind: it hits the dialog itself, and nothing in it.
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <header>
        {/* To look at a thing begins with its name; a form begins with its first field. */}
        <h2 id={titleId} tabIndex={-1} autofocus={side}>
          {title}
        </h2>
        <Button kind="quiet" small onClick={onClose}>
          Close
        </Button>
      </header>
      <div class="body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

export interface ConfirmProps {
  title: string;
  /** What the button says: the deed, not 'OK'. */
  action: string;
  /** Closes when it resolves; an error is shown and the question stays. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
  danger?: boolean;
  /** For what cannot be undone: the button waits until this was typed. */
  typed?: string;
  /** What will happen. */
  children: ComponentChildren;
}

export function Confirm({ title, action, onConfirm, onClose, danger = false, typed, children }: ConfirmProps) {
  const [text, setText] = useState('');
  const { run, busy, error } = useAction(onConfirm);
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        kind={danger ? 'danger' : 'primary'}
        busy={busy}
        disabled={typed !== undefined && text !== typed}
        onClick={() => void run().then((worked) => worked && onClose())}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      {children}
      {typed !== undefined && (
        <TextField label={`Type ${typed} to go on`} value={text} onInput={setText} autocomplete="off" />
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}
