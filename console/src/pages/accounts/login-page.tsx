import { useState } from 'preact/hooks';
import { signIn } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { safePath } from '../../lib/paths.ts';
import { navigate, usePlace } from '../../lib/router.ts';
import { useAction } from '../../lib/use-resource.ts';
import { Alone } from '../../shell/standalone-page.tsx';

export function Page() {
  const { query } = usePlace();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await signIn({ email, password });
    navigate(safePath(query.get('next')) ?? '/', { replace: true });
  });
  return (
    <Alone title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {query.has('next') && <p class="soft">Sign in to go on where you were.</p>}
        <TextField label="E-mail" type="email" autocomplete="username" required value={email} onInput={setEmail} />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <Button type="submit" kind="primary" busy={busy}>
          Sign in
        </Button>
        <p class="soft small">
          Nobody has an account yet? The first start of the server printed a link to set one up. Later ones are made by
          an administrator.
        </p>
      </form>
    </Alone>
  );
}
