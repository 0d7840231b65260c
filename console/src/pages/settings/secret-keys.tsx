/** Secret keys of the project by name, so that one server's can be replaced without touching the others. */
import { useState } from 'preact/hooks';
import {
  createSecretKey,
  deleteSecretKey,
  listSecretKeys,
  type NewSecretKey,
  rollSecretKey,
  rotateSecretKey,
  type SecretKey,
} from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Banner, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useResource } from '../../lib/use-resource.ts';
import type { SettingsProps } from './settings-props.ts';

interface Pending {
  chosen: SecretKey;
  action: 'roll' | 'delete';
}

export function SecretKeys({ project }: Pick<SettingsProps, 'project'>) {
  const keys = useResource((signal) => listSecretKeys(project.id, signal), [project.id]);
  const [label, setLabel] = useState('');
  const [created, setCreated] = useState<NewSecretKey | null>(null);
  const [pending, setPending] = useState<Pending | null>(null);
  const [isRotating, setRotating] = useState(false);
  /** The new value of the key without a label. */
  const [rotated, setRotated] = useState<string | null>(null);
  const shown = rotated ?? created?.value;
  const show = (key: NewSecretKey): void => {
    setRotated(null);
    setCreated(key);
    keys.reload();
  };
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      show(await createSecretKey(project.id, label.trim()));
      setLabel('');
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="card stack" aria-label="Secret API keys">
      <h2>Secret API keys</h2>
      <p class="muted">
        For servers that evaluate feature flags locally. Give each its own key, so that you can replace one without
        affecting the others.
      </p>
      {shown !== undefined && (
        <Banner tone="warn" action={<CopyButton text={shown} />}>
          Copy the key {rotated === null ? created?.label : 'without a label'} now. It is shown only once:{' '}
          <code>{shown}</code>
        </Banner>
      )}
      <Loaded resource={keys}>
        {(data) => (
          <Table
            label="Secret API keys, newest first"
            columns={columnsFor(setPending)}
            rows={data}
            rowKey={({ id }) => id}
            empty={<Empty title="No secret API keys">Create one for each server that evaluates flags itself.</Empty>}
          />
        )}
      </Loaded>
      {project.has_secret_api_token && (
        <p class="row">
          <span>A key without a label works, too.</span>
          <Button small onClick={() => setRotating(true)}>
            Roll…
          </Button>
        </p>
      )}
      <form class="row-end" onSubmit={create}>
        <TextField label="Label" placeholder="Orders service" value={label} onInput={setLabel} />
        <Button type="submit" disabled={label.trim() === ''}>
          Create key
        </Button>
      </form>
      {isRotating && (
        <Confirm
          title="Replace the value of the key without a label?"
          action="Replace value"
          danger
          onClose={() => setRotating(false)}
          onConfirm={async () => setRotated((await rotateSecretKey(project.id)).secret_api_token)}
        >
          <p>{REJECTED}</p>
        </Confirm>
      )}
      {pending?.action === 'roll' && (
        <Confirm
          title={`Replace the value of ${pending.chosen.label}?`}
          action="Replace value"
          danger
          onClose={() => setPending(null)}
          onConfirm={async () => show(await rollSecretKey(project.id, pending.chosen.id))}
        >
          <p>{REJECTED}</p>
        </Confirm>
      )}
      {pending?.action === 'delete' && (
        <Confirm
          title={`Delete the key ${pending.chosen.label}?`}
          action="Delete key"
          danger
          onClose={() => setPending(null)}
          onConfirm={async () => {
            await deleteSecretKey(project.id, pending.chosen.id);
            if (created?.id === pending.chosen.id) setCreated(null);
            keys.reload();
            toast(`Key ${pending.chosen.label} deleted.`);
          }}
        >
          <p>Servers that use it are rejected at once.</p>
        </Confirm>
      )}
    </section>
  );
}

const REJECTED = 'Servers that use the current value are rejected at once. The new one is shown only once.';

const columnsFor = (ask: (pending: Pending) => void): Column<SecretKey>[] => [
  {
    id: 'label',
    title: 'Label',
    cell: (key) => (
      <>
        <b class="truncate">{key.label}</b> <span class="muted small">{key.mask_value}</span>
      </>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    isWide: true,
    cell: ({ created_at, created_by: by }) => (
      <>
        <Time at={created_at} as="relative" /> {by && <span class="muted small">{by.first_name || by.email}</span>}
      </>
    ),
  },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (chosen) => (
      <>
        <Button small kind="quiet" onClick={() => ask({ chosen, action: 'roll' })}>
          Roll…
        </Button>
        <Button small kind="quiet" onClick={() => ask({ chosen, action: 'delete' })}>
          Delete…
        </Button>
      </>
    ),
  },
];
