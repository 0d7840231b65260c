import type { ComponentChildren } from 'preact';
import type { Action } from '../lib/use-resource.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './states.tsx';

interface SaveFormProps {
  save: Action<[]>;
  /** Of the button. */
  label: string;
  /** What has to be entered before it can be saved, as a sentence; null: nothing. */
  missing: string | null;
  children: ComponentChildren;
}

/** A form that is saved as a whole, as soon as nothing is missing. */
export function SaveForm({ save, label, missing, children }: SaveFormProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null) void save.run();
      }}
    >
      {children}
      {save.error !== undefined && <ErrorNote error={save.error} />}
      <div class="row">
        <Button kind="primary" type="submit" busy={save.busy} disabled={missing !== null}>
          {label}
        </Button>
        {missing !== null && <span class="muted small">{missing}</span>}
      </div>
    </form>
  );
}
