/** A new password: ask for a link, and choose the password with it. */
import { useState } from 'preact/hooks';
import { checkReset, completeReset, requestReset } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { readLinkToken } from '../../lib/link-token.ts';
import type { PageProps } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { NewPasswordField, passwordErrorOf } from './credential-fields.tsx';

export function Page({ params }: PageProps) {
  const { user } = params;
  return user === undefined ? <AskForLink /> : <ChoosePassword user={user} />;
}

function AskForLink() {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await requestReset(email);
    setSent(true);
  });
  return (
    <StandalonePage title="Reset password">
      {isSent ? (
        <p role="status">
          If {email} has an account, a link is on its way. It works once, for an hour. Nothing arrives? Ask an admin of
          your organization.
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <p class="muted">You get a link by email to choose a new password.</p>
          <TextField label="Email" type="email" autocomplete="username" required value={email} onInput={setEmail} />
          {error !== undefined && <ErrorNote error={error} />}
          <Button type="submit" kind="primary" busy={busy}>
            Send link
          </Button>
        </form>
      )}
      <p class="small">
        <a href="/login">Back to sign-in</a>
      </p>
    </StandalonePage>
  );
}

function ChoosePassword({ user }: { user: string }) {
  const [token] = useState(() => readLinkToken(location));
  const link = useResource(async (signal) => ({ isValid: await checkReset(user, token, signal) }), [user, token]);
  return (
    <StandalonePage title="Choose a new password">
      <Loaded resource={link}>{() => <PasswordForm user={user} token={token} />}</Loaded>
    </StandalonePage>
  );
}

function PasswordForm({ user, token }: { user: string; token: string }) {
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await completeReset(user, { token, password });
    toast('Password changed. Sign in with it.');
    navigate('/login', { replace: true });
  });
  const passwordError = passwordErrorOf(error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <NewPasswordField
        label="New password"
        hint="At least 8 characters, not a common password. All your sessions will be signed out."
        error={passwordError}
        value={password}
        onInput={setPassword}
      />
      {error !== undefined && passwordError === null && <ErrorNote error={error} />}
      <Button type="submit" kind="primary" busy={busy}>
        Change password
      </Button>
    </form>
  );
}
