import { useState } from 'preact/hooks';
import { getSignInOptions, signIn } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { safePath } from '../../lib/paths.ts';
import { navigate, useLocation } from '../../lib/router.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';

export function Page() {
  const { query } = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await signIn({ email, password });
    navigate(safePath(query.get('next')) ?? '/', { replace: true });
  });
  return (
    <StandalonePage title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {query.has('next') && <p class="muted">Sign in to continue where you left off.</p>}
        <TextField label="Email" type="email" autocomplete="username" required value={email} onInput={setEmail} />
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
        <ForgottenPassword />
        <p class="muted small">
          No account yet? The server prints a setup link when it starts for the first time. After that, an admin invites
          members.
        </p>
      </form>
    </StandalonePage>
  );
}

function ForgottenPassword() {
  const { data } = useResource(getSignInOptions, []);
  if (data === undefined) return null;
  return (
    <p class="small">
      {data.password_reset ? (
        <a href="/reset">Forgot your password?</a>
      ) : (
        <span class="muted">Forgot your password? Ask an admin for a link to choose a new one.</span>
      )}
    </p>
  );
}
