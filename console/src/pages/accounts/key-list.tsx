import { useState } from 'preact/hooks';
import { deleteKey, listKeys, type NewPersonalKey, type PersonalKey, rollKey } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Badge, Banner, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { useResource } from '../../lib/use-resource.ts';
import { describeScopes } from './key-access.ts';
import { NewKeyForm } from './new-key-form.tsx';

interface Pending {
  /** `key` is a name of Preact's. */
  chosen: PersonalKey;
  action: 'roll' | 'delete';
}

/** Personal API keys: what they may do, when they end and were last used; new values, and new keys. */
export function KeyList() {
  const keys = useResource(listKeys, []);
  const [created, setCreated] = useState<NewPersonalKey | null>(null);
  const [pending, setPending] = useState<Pending | null>(null);
  const show = (key: NewPersonalKey): void => {
    setCreated(key);
    keys.reload();
  };
  return (
    <section class="card stack" aria-label="Personal API keys">
      <h2>Personal API keys</h2>
      <p class="muted">
        For scripts, tools and assistants that use the API as you. Give each its own key with the access it needs. Send
        it in the header <code>Authorization: Bearer …</code>
      </p>
      {created && (
        <Banner tone="warn" action={<CopyButton text={created.value} />}>
          Copy the key {created.label} now. It is shown only once: <code>{created.value}</code>
        </Banner>
      )}
      <Loaded resource={keys}>
        {(data) => (
          <Table
            label="Personal API keys, newest first"
            columns={keyColumns(setPending)}
            rows={data}
            rowKey={({ id }) => id}
            empty={
              <Empty title="No personal API keys">
                Create one for each tool, so that you can delete it without affecting the others.
              </Empty>
            }
          />
        )}
      </Loaded>
      <NewKeyForm onCreated={show} />
      {pending && (
        <ConfirmChange
          {...pending}
          onClose={() => setPending(null)}
          onRolled={show}
          onDeleted={(id) => {
            if (created?.id === id) setCreated(null);
            keys.reload();
          }}
        />
      )}
    </section>
  );
}

const keyColumns = (ask: (pending: Pending) => void): Column<PersonalKey>[] => [
  {
    id: 'label',
    title: 'Label',
    cell: (key) => (
      <>
        <b class="truncate">{key.label}</b> <span class="muted small">{key.mask_value ?? ''}</span>
      </>
    ),
  },
  { id: 'access', title: 'Access', cell: (key) => <KeyAccess keyOf={key} /> },
  {
    id: 'used',
    title: 'Last used',
    isWide: true,
    cell: ({ last_used_at }) => <Time at={last_used_at} as="relative" />,
  },
  { id: 'expires', title: 'Expires', isWide: true, cell: (key) => <KeyEnd keyOf={key} /> },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (key) => (
      <span class="row">
        <Button
          small
          kind="quiet"
          aria-label={`Roll key ${key.label}`}
          onClick={() => ask({ chosen: key, action: 'roll' })}
        >
          Roll…
        </Button>
        <Button
          small
          kind="quiet"
          aria-label={`Delete key ${key.label}`}
          onClick={() => ask({ chosen: key, action: 'delete' })}
        >
          Delete…
        </Button>
      </span>
    ),
  },
];

function KeyAccess({ keyOf: { scopes, scoped_teams, scoped_organizations } }: { keyOf: PersonalKey }) {
  const places = [
    ...(scoped_teams.length > 0 ? [`project ${scoped_teams.join(', ')}`] : []),
    ...(scoped_organizations.length > 0 ? ['some organizations'] : []),
  ];
  return (
    <span title={scopes.join('\n')}>
      <Badge tone={scopes.includes('*') ? 'warn' : 'neutral'}>{describeScopes(scopes)}</Badge>{' '}
      <span class="muted small">{places.join(', ')}</span>
    </span>
  );
}

function KeyEnd({ keyOf: { expires_at } }: { keyOf: PersonalKey }) {
  if (expires_at === null) return <span class="muted">Never</span>;
  const isOver = Date.parse(expires_at) <= Date.now();
  return isOver ? <Badge tone="bad">Expired</Badge> : <Time at={expires_at} as="relative" />;
}

interface ConfirmChangeProps extends Pending {
  onClose(): void;
  onRolled(key: NewPersonalKey): void;
  onDeleted(id: string): void;
}

function ConfirmChange({ chosen, action, onClose, onRolled, onDeleted }: ConfirmChangeProps) {
  if (action === 'roll') {
    return (
      <Confirm
        title={`Roll the key ${chosen.label}?`}
        action="Roll key"
        onClose={onClose}
        onConfirm={async () => onRolled(await rollKey(chosen.id))}
      >
        <p>It gets a new value with the same access. Requests with the old value will be rejected at once.</p>
      </Confirm>
    );
  }
  return (
    <Confirm
      title={`Delete the key ${chosen.label}?`}
      action="Delete key"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteKey(chosen.id);
        toast('Key deleted.');
        onDeleted(chosen.id);
      }}
    >
      <p>
        Requests with this key will be rejected at once. Last used: <Time at={chosen.last_used_at} as="relative" />.
      </p>
    </Confirm>
  );
}
