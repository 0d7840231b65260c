/** Oneself: name, password, and keys for programs that act in one's name. */
import { createKey, deleteKey, listKeys, type NewPersonalKey, type PersonalKey, updateMe } from '../../api/accounts.ts';
import '../settings/settings.css';
import { useState } from 'preact/hooks';
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

export function Page() {
  return (
    <PageFrame title="Your account">
      <div class="settings">
        <Keys />
        <Profile />
        <Password />
      </div>
    </PageFrame>
  );
}

function Keys() {
  const keys = useResource(listKeys, []);
  const [label, setLabel] = useState('');
  const [made, setMade] = useState<NewPersonalKey | null>(null);
  const [gone, setGone] = useState<PersonalKey | null>(null);
  const make = useAction(async () => {
    setMade(await createKey(label));
    setLabel('');
    keys.reload();
  });
  const columns: Column<PersonalKey>[] = [
    { id: 'label', title: 'What for', cell: (key) => <b class="cut">{key.label}</b> },
    { id: 'created', title: 'Made', isWide: true, cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
    { id: 'used', title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} as="ago" /> },
    {
      id: 'remove',
      title: '',
      cell: (key) => (
        <Button small kind="quiet" aria-label={`Remove the key ${key.label}`} onClick={() => setGone(key)}>
          Remove…
        </Button>
      ),
    },
  ];
  return (
    <section class="card stack" aria-label="Personal keys">
      <h2>Personal keys</h2>
      <p class="soft">
        For scripts and tools that use the API in your name: they may do all that you may. Send one as{' '}
        <code>Authorization: Bearer …</code>
      </p>
      {made && (
        <Banner tone="warn" action={<CopyButton text={made.value} />}>
          The key for {made.label}, shown this once: <code>{made.value}</code>
        </Banner>
      )}
      <Loaded resource={keys}>
        {(data) => (
          <Table
            label="Personal keys, newest first"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={
              <Empty title="No keys">Make one for each tool, so that you can take it away without the others.</Empty>
            }
          />
        )}
      </Loaded>
      <form
        class="row-end"
        onSubmit={(event) => {
          event.preventDefault();
          void make.run();
        }}
      >
        <TextField
          label="What for"
          placeholder="terraform, nightly report"
          value={label}
          onInput={setLabel}
          required
          maxLength={40}
        />
        <Button type="submit" busy={make.busy}>
          Make a key
        </Button>
      </form>
      {make.error !== undefined && <ErrorNote error={make.error} />}
      {gone && (
        <Confirm
          title={`Remove the key ${gone.label}?`}
          action="Remove the key"
          danger
          onClose={() => setGone(null)}
          onConfirm={async () => {
            await deleteKey(gone.id);
            if (made?.id === gone.id) setMade(null);
            toast('The key is removed.');
            keys.reload();
          }}
        >
          <p>
            Whatever uses it is refused at once. It was last used <Time at={gone.last_used_at} as="ago" />.
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
  const save = useAction(async () => {
    await updateMe({ first_name: name, email });
    toast('Saved.');
    reload();
  });
  return (
    <section class="card stack" aria-label="Name and e-mail">
      <h2>Name and e-mail</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TextField label="Name" value={name} onInput={setName} maxLength={150} autocomplete="name" />
        <TextField label="E-mail" type="email" value={email} onInput={setEmail} required autocomplete="email" />
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
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const save = useAction(async () => {
    await updateMe({ current_password: present, password: next });
    setPresent('');
    setNext('');
    toast('The password is changed.');
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
          label="Present password"
          type="password"
          value={present}
          onInput={setPresent}
          required
          autocomplete="current-password"
        />
        <TextField
          label="New password"
          type="password"
          hint="At least 8 characters."
          value={next}
          onInput={setNext}
          required
          minLength={8}
          autocomplete="new-password"
        />
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <div>
          <Button type="submit" busy={save.busy}>
            Change the password
          </Button>
        </div>
      </form>
    </section>
  );
}
