import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { classes } from '../lib/classes.ts';
import { useAction } from '../lib/use-resource.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { ErrorNote } from './states.tsx';
import { useModal } from './use-modal.ts';

interface DialogProps {
  title: ComponentChildren;
  onClose(): void;
  /** A panel at the right, for details beside a list. */
  side?: boolean;
  footer?: ComponentChildren;
  children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. It traps the focus, closes on Escape, and returns the focus. */
export function Dialog({ title, onClose, side = false, footer, children }: DialogProps) {
  const dialog = useModal();
  const titleId = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      class={classes('dialog', side && 'side')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A click on the backdrop hits the dialog element itself.
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <header>
        {/* Details are read from the title on; a form starts with its first field. */}
        <h2 id={titleId} {...(side ? { tabIndex: -1, autofocus: true } : {})}>
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

/** At the end of a form: Cancel first, what the dialog is for last, as in every footer. */
export const DialogActions = ({ onCancel, children }: { onCancel(): void; children: ComponentChildren }) => (
  <div class="dialog-actions">
    <Button onClick={onCancel}>Cancel</Button>
    {children}
  </div>
);

interface ConfirmProps {
  title: string;
  /** What the button says: a verb, not 'OK'. */
  action: string;
  /** The dialog closes when it resolves; an error is shown in the dialog. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
  danger?: boolean;
  /** The user must type this before the button is enabled. */
  typed?: string;
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
        onClick={() => void run().then((isDone) => isDone && onClose())}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      {children}
      {typed !== undefined && (
        <TextField label={`Type ${typed} to confirm`} value={text} onInput={setText} autocomplete="off" />
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}
