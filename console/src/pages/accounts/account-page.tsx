import '../settings/settings.css';
import { useState } from 'preact/hooks';
import { updateMe } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useSession } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { KeyList } from './key-list.tsx';
import { SecondFactors } from './second-factors.tsx';
import { SessionList } from './session-list.tsx';

export function Page() {
  return (
    <PageFrame title="Account settings">
      <div class="settings">
        <KeyList />
        <Profile />
        <Password />
        <SecondFactors />
        <SessionList />
      </div>
    </PageFrame>
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
