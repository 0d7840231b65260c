import { useState } from 'preact/hooks';
import { createInsight, type SavedInsight, updateInsight } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { DashboardsDialog } from './dashboards-dialog.tsx';
import type { Fields } from './question.ts';

export interface SaveBarProps {
  saved: SavedInsight | null;
  fields: Fields;
  /** What it would be called if nobody said. */
  derived: string;
  isChanged: boolean;
  canSave: boolean;
  onSaved(insight: SavedInsight): void;
}

type Opened = 'save' | 'name' | 'dashboards' | 'delete' | null;

export function SaveBar({ saved, fields, derived, isChanged, canSave, onSaved }: SaveBarProps) {
  const { id } = useProject();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const pathOf = (insight: SavedInsight): string => pathTo('insight', { project: id, insight: insight.id }) ?? '/';
  const create = async (name: string, description: string): Promise<void> => {
    const made = await createInsight(id, { name, description, derived_name: derived, filters: { ...fields } });
    toast('The insight is saved.');
    navigate(pathOf(made));
  };
  const keep = useAction(async () => {
    if (saved === null) return;
    onSaved(await updateInsight(id, saved.id, { filters: { ...fields }, derived_name: derived }));
    toast('The changes are saved.');
    navigate(pathOf(saved), { replace: true });
  });
  const favour = useAction(async () => {
    if (saved) onSaved(await updateInsight(id, saved.id, { favorited: !saved.favorited }));
  });
  return (
    <>
      {saved && (
        <>
          <Button aria-pressed={saved.favorited} busy={favour.busy} onClick={() => void favour.run()}>
            {saved.favorited ? '★ Favourite' : '☆ Favourite'}
          </Button>
          <Button onClick={() => setOpened('dashboards')}>Add to a dashboard</Button>
          {isChanged && (
            <Button kind="primary" busy={keep.busy} disabled={!canSave} onClick={() => void keep.run()}>
              Save the changes
            </Button>
          )}
          <Menu label="More">
            <button type="button" onClick={() => setOpened('name')}>
              Rename
            </button>
            <button type="button" onClick={() => setOpened('save')}>
              Save as another
            </button>
            <button type="button" onClick={() => setOpened('delete')}>
              Delete
            </button>
          </Menu>
        </>
      )}
      {saved === null && (
        <Button kind="primary" disabled={!canSave} onClick={() => setOpened('save')}>
          Save
        </Button>
      )}
      {keep.error !== undefined && <ErrorNote error={keep.error} />}
      {opened === 'save' && <NameDialog title="Save the insight" name={derived} onSave={create} onClose={close} />}
      {opened === 'name' && saved && (
        <NameDialog
          title="Rename"
          name={saved.name ?? ''}
          description={saved.description}
          onSave={async (name, description) => onSaved(await updateInsight(id, saved.id, { name, description }))}
          onClose={close}
        />
      )}
      {opened === 'dashboards' && saved && <DashboardsDialog insight={saved} onSaved={onSaved} onClose={close} />}
      {opened === 'delete' && saved && (
        <Confirm
          title="Delete this insight?"
          action="Delete"
          danger
          onConfirm={async () => {
            await updateInsight(id, saved.id, { deleted: true }).catch((error: unknown) => {
              toastError(error);
              throw error;
            });
            navigate(pathTo('insights', { project: id }) ?? '/');
          }}
          onClose={close}
        >
          <p>It goes from every dashboard that it is on. The events stay, and the API can bring it back.</p>
        </Confirm>
      )}
    </>
  );
}

interface NameProps {
  title: string;
  name: string;
  description?: string;
  onSave(name: string, description: string): Promise<void>;
  onClose(): void;
}

function NameDialog({ title, name: first, description: told = '', onSave, onClose }: NameProps) {
  const [name, setName] = useState(first.slice(0, 400));
  const [description, setDescription] = useState(told);
  const save = useAction(async () => {
    await onSave(name.trim(), description.trim());
    onClose();
  });
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} disabled={name.trim() === ''} onClick={() => void save.run()}>
        {title}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <TextField label="Name" value={name} onInput={setName} maxLength={400} />
      <TextArea
        label="Description"
        value={description}
        onInput={setDescription}
        rows={3}
        placeholder="What it is for"
      />
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
