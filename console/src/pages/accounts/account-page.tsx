import '../settings/settings.css';
import { useState } from 'preact/hooks';
import { createKey, deleteKey, listKeys, type NewPersonalKey, type PersonalKey, updateMe } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { useSession } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { SessionList } from './session-list.tsx';

export function Page() {
  return (
    <PageFrame title="Account settings">
      <div class="settings">
        <Keys />
        <Profile />
        <Password />
        <SessionList />
      </div>
    </PageFrame>
  );
}

function Keys() {
  const keys = useResource(listKeys, []);
  const [label, setLabel] = useState('');
  const [created, setCreated] = useState<NewPersonalKey | null>(null);
  const [removing, setRemoving] = useState<PersonalKey | null>(null);
  const create = useAction(async () => {
    setCreated(await createKey(label));
    setLabel('');
    keys.reload();
  });
  const columns: Column<PersonalKey>[] = [
    { id: 'label', title: 'Label', cell: (key) => <b class="truncate">{key.label}</b> },
    { id: 'created', title: 'Created', isWide: true, cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
    { id: 'used', title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} as="relative" /> },
    {
      id: 'remove',
      title: 'Remove',
      hideTitle: true,
      cell: (key) => (
        <Button small kind="quiet" aria-label={`Delete key ${key.label}`} onClick={() => setRemoving(key)}>
          Delete…
        </Button>
      ),
    },
  ];
  return (
    <section class="card stack" aria-label="Personal API keys">
      <h2>Personal API keys</h2>
      <p class="muted">
        For scripts and tools that use the API. A key has the same permissions as you. Send it in the header{' '}
        <code>Authorization: Bearer …</code>
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
            columns={columns}
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
      <form
        class="row-end"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TextField label="Label" placeholder="Terraform" value={label} onInput={setLabel} required maxLength={40} />
        <Button type="submit" busy={create.busy}>
          Create key
        </Button>
      </form>
      {create.error !== undefined && <ErrorNote error={create.error} />}
      {removing && (
        <Confirm
          title={`Delete the key ${removing.label}?`}
          action="Delete key"
          danger
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await deleteKey(removing.id);
            if (created?.id === removing.id) setCreated(null);
            toast('Key deleted.');
            keys.reload();
          }}
        >
          <p>
            Requests with this key will be rejected at once. Last used:{' '}
            <Time at={removing.last_used_at} as="relative" />.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Profile() {
  const { me, reload } = useSession();
  const [name, setName] = useState(me.first_name);
  const [email, setEmail] = useState(me.email);
  const [password, setPassword] = useState('');
  const isMoving = email !== me.email && me.has_password;
  const save = useAction(async () => {
    const move = email === me.email ? {} : { email, ...(isMoving && { current_password: password }) };
    await updateMe({ first_name: name, ...move });
    setPassword('');
    toast('Saved.');
    reload();
  });
  return (
    <section class="card stack" aria-label="Profile">
      <h2>Profile</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TextField label="Name" value={name} onInput={setName} maxLength={150} autocomplete="name" />
        <TextField label="Email" type="email" value={email} onInput={setEmail} required autocomplete="email" />
        {isMoving && (
          <TextField
            label="Current password"
            type="password"
            hint="Required to change the email. Other sessions will be signed out."
            value={password}
            onInput={setPassword}
            required
            autocomplete="current-password"
          />
        )}
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <div>
          <Button type="submit" busy={save.busy}>
            Save
          </Button>
        </div>
      </form>
    </section>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = useAction(async () => {
    await updateMe({ current_password: current, password: next });
    setCurrent('');
    setNext('');
    toast('Password changed.');
  });
  return (
    <section class="card stack" aria-label="Password">
      <h2>Password</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TextField
          label="Current password"
          type="password"
          value={current}
          onInput={setCurrent}
          required
          autocomplete="current-password"
        />
        <TextField
          label="New password"
          type="password"
          hint="At least 8 characters, not a common password."
          value={next}
          onInput={setNext}
          required
          minLength={8}
          autocomplete="new-password"
        />
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <div>
          <Button type="submit" busy={save.busy}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  );
}
