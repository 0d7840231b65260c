import { useState } from 'preact/hooks';
import { listDashboards } from '../../api/dashboards.ts';
import { createInsight, type SavedInsight, updateInsight } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { DigestDialog } from '../digests/digest-dialog.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { DashboardsDialog } from './dashboards-dialog.tsx';
import { pathOfInsight } from './path-of-insight.ts';

interface SaveBarProps {
  saved: SavedInsight | null;
  /** What is saved: filters, or a SQL statement. */
  question: { filters: Record<string, unknown> } | { query: Record<string, unknown> };
  /** The default name. */
  derived: string;
  isChanged: boolean;
  canSave: boolean;
  onSaved(insight: SavedInsight): void;
}

type OpenDialog = 'share' | 'subscribe' | 'save' | 'name' | 'dashboards' | 'delete' | null;

export function SaveBar({ saved, question, derived, isChanged, canSave, onSaved }: SaveBarProps) {
  const { id } = useProject();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = (): void => setDialog(null);
  const pathOf = (insight: SavedInsight): string => pathOfInsight(id, insight);
  const create = async ({ name, description, dashboards }: Named): Promise<void> => {
    const body = { name, description, dashboards, derived_name: derived, ...question };
    const created = await createInsight(id, body);
    toast('Insight saved.');
    navigate(pathOf(created));
  };
  const saveChanges = useAction(async () => {
    if (saved === null) return;
    onSaved(await updateInsight(id, saved.id, { ...question, derived_name: derived }));
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
          <Button onClick={() => setDialog('share')}>Share</Button>
          <Link
            class="button"
            to={`${pathTo('alert', { project: id, alert: 'new' }) ?? '/'}?insight=${saved.id}`}
            title="Be told when a number of this insight leaves its bounds"
          >
            Alert
          </Link>
          <Button onClick={() => setDialog('subscribe')} title="Get it by mail or webhook on a schedule">
            Subscribe
          </Button>
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
      {dialog === 'share' && saved && <ShareDialog item={['insights', saved.id]} name="this insight" onClose={close} />}
      {dialog === 'subscribe' && saved && (
        <DigestDialog
          digest={null}
          subject={{ insight: saved.id }}
          name={saved.name || saved.derived_name || 'this insight'}
          onClose={close}
        />
      )}
      {dialog === 'save' && (
        <NameDialog title="Save insight" name={derived} hasDashboards onSave={create} onClose={close} />
      )}
      {dialog === 'name' && saved && (
        <NameDialog
          title="Rename insight"
          name={saved.name ?? ''}
          description={saved.description}
          onSave={async ({ name, description }) => onSaved(await updateInsight(id, saved.id, { name, description }))}
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

interface Named {
  name: string;
  description: string;
  dashboards: number[];
}

interface NameProps {
  title: string;
  name: string;
  description?: string;
  /** Whether dashboards can be chosen. */
  hasDashboards?: boolean;
  onSave(named: Named): Promise<void>;
  onClose(): void;
}

function NameDialog(props: NameProps) {
  const {
    title,
    name: initialName,
    description: initialDescription = '',
    hasDashboards = false,
    onSave,
    onClose,
  } = props;
  const [name, setName] = useState(initialName.slice(0, 400));
  const [description, setDescription] = useState(initialDescription);
  const [dashboards, setDashboards] = useState<number[]>([]);
  const save = useAction(async () => {
    await onSave({ name: name.trim(), description: description.trim(), dashboards });
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
      {hasDashboards && <DashboardChoice value={dashboards} onChange={setDashboards} />}
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}

function DashboardChoice({ value, onChange }: { value: readonly number[]; onChange(value: number[]): void }) {
  const { id } = useProject();
  const { data = [] } = useResource((signal) => listDashboards(id, signal), [id]);
  if (data.length === 0) return null;
  return (
    <fieldset class="plain stack-s">
      <legend class="label">Add to dashboards</legend>
      {data.map((dashboard) => (
        <Checkbox
          key={dashboard.id}
          label={dashboard.name}
          checked={value.includes(dashboard.id)}
          onChange={(isOn) => onChange(isOn ? [...value, dashboard.id] : value.filter((one) => one !== dashboard.id))}
        />
      ))}
    </fieldset>
  );
}
