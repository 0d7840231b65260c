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

interface SaveBarProps {
  saved: SavedInsight | null;
  fields: Fields;
  /** The default name. */
  derived: string;
  isChanged: boolean;
  canSave: boolean;
  onSaved(insight: SavedInsight): void;
}

type OpenDialog = 'save' | 'name' | 'dashboards' | 'delete' | null;

export function SaveBar({ saved, fields, derived, isChanged, canSave, onSaved }: SaveBarProps) {
  const { id } = useProject();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = (): void => setDialog(null);
  const pathOf = (insight: SavedInsight): string => pathTo('insight', { project: id, insight: insight.id }) ?? '/';
  const create = async (name: string, description: string): Promise<void> => {
    const created = await createInsight(id, { name, description, derived_name: derived, filters: { ...fields } });
    toast('Insight saved.');
    navigate(pathOf(created));
  };
  const saveChanges = useAction(async () => {
    if (saved === null) return;
    onSaved(await updateInsight(id, saved.id, { filters: { ...fields }, derived_name: derived }));
    toast('Changes saved.');
    navigate(pathOf(saved), { replace: true });
  });
  const toggleFavorite = useAction(async () => {
    if (saved) onSaved(await updateInsight(id, saved.id, { favorited: !saved.favorited }));
  });
  return (
    <>
      {saved && (
        <>
          <Button aria-pressed={saved.favorited} busy={toggleFavorite.busy} onClick={() => void toggleFavorite.run()}>
            {saved.favorited ? '★ Favorite' : '☆ Favorite'}
          </Button>
          <Button onClick={() => setDialog('dashboards')}>Add to dashboard</Button>
          {isChanged && (
            <Button kind="primary" busy={saveChanges.busy} disabled={!canSave} onClick={() => void saveChanges.run()}>
              Save changes
            </Button>
          )}
          <Menu label="More">
            <button type="button" onClick={() => setDialog('name')}>
              Rename
            </button>
            <button type="button" onClick={() => setDialog('save')}>
              Save as new insight
            </button>
            <button type="button" onClick={() => setDialog('delete')}>
              Delete
            </button>
          </Menu>
        </>
      )}
      {saved === null && (
        <Button kind="primary" disabled={!canSave} onClick={() => setDialog('save')}>
          Save
        </Button>
      )}
      {saveChanges.error !== undefined && <ErrorNote error={saveChanges.error} />}
      {dialog === 'save' && <NameDialog title="Save insight" name={derived} onSave={create} onClose={close} />}
      {dialog === 'name' && saved && (
        <NameDialog
          title="Rename insight"
          name={saved.name ?? ''}
          description={saved.description}
          onSave={async (name, description) => onSaved(await updateInsight(id, saved.id, { name, description }))}
          onClose={close}
        />
      )}
      {dialog === 'dashboards' && saved && <DashboardsDialog insight={saved} onSaved={onSaved} onClose={close} />}
      {dialog === 'delete' && saved && (
        <Confirm
          title="Delete this insight?"
          action="Delete insight"
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
          <p>It is removed from all dashboards. Events are kept. You can restore it through the API.</p>
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

function NameDialog({ title, name: initialName, description: initialDescription = '', onSave, onClose }: NameProps) {
  const [name, setName] = useState(initialName.slice(0, 400));
  const [description, setDescription] = useState(initialDescription);
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
        placeholder="Conversion from signup to first order"
      />
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
