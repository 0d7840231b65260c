import type { ComponentChildren } from 'preact';
import { type ProjectWrite, updateProject } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';

interface SectionProps {
  title: string;
  lead?: ComponentChildren;
  /** Null if nothing has changed. */
  changes: ProjectWrite | null;
  onSaved(): void;
  children: ComponentChildren;
}

/** Settings that are saved together. */
export function Section({ title, lead, changes, onSaved, children }: SectionProps) {
  const { id } = useProject();
  const save = useAction(async () => {
    if (changes === null) return;
    await updateProject(id, changes);
    toast(`${title} saved.`);
    onSaved();
  });
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      {lead && <p class="muted">{lead}</p>}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        {children}
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <div>
          <Button type="submit" disabled={changes === null} busy={save.busy}>
            Save
          </Button>
        </div>
      </form>
    </section>
  );
}
