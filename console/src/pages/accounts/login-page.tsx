import { useState } from 'preact/hooks';
import { getSignInOptions, signIn } from '../../api/accounts.ts';
import { ApiError } from '../../api/api-error.ts';
import { passkeyError, showCode, signInWithPasskey, supportsPasskeys } from '../../api/factors.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { safePath } from '../../lib/paths.ts';
import { navigate, useLocation } from '../../lib/router.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { CodeField } from './credential-fields.tsx';

export function Page() {
  const { query } = useLocation();
  const [isFactorDue, setFactorDue] = useState(false);
  const done = (): void => navigate(safePath(query.get('next')) ?? '/', { replace: true });
  return isFactorDue ? (
    <SecondStep onDone={done} onCancel={() => setFactorDue(false)} />
  ) : (
    <FirstStep isReturning={query.has('next')} onDone={done} onFactorDue={() => setFactorDue(true)} />
  );
}

interface FirstStepProps {
  isReturning: boolean;
  onDone(): void;
  onFactorDue(): void;
}

function FirstStep({ isReturning, onDone, onFactorDue }: FirstStepProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    try {
      await signIn({ email, password });
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === '2fa_required') return onFactorDue();
      throw failure;
    }
    onDone();
  });
  return (
    <StandalonePage title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {isReturning && <p class="muted">Sign in to continue where you left off.</p>}
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
        <PasskeyButton onDone={onDone} />
        <ForgottenPassword />
        <p class="muted small">
          No account yet? The server prints a setup link when it starts for the first time. After that, an admin invites
          members.
        </p>
      </form>
    </StandalonePage>
  );
}

function PasskeyButton({ onDone }: { onDone(): void }) {
  const { run, busy, error } = useAction(async () => {
    await signInWithPasskey().catch((failure: unknown) => {
      throw passkeyError(failure);
    });
    onDone();
  });
  if (!supportsPasskeys()) return null;
  return (
    <>
      <Button busy={busy} onClick={() => void run()}>
        Sign in with a passkey
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}

/** After the password, for accounts with a second factor. */
function SecondStep({ onDone, onCancel }: { onDone(): void; onCancel(): void }) {
  const [code, setCode] = useState('');
  const { run, busy, error } = useAction(async () => {
    await showCode(code);
    onDone();
  });
  return (
    <StandalonePage title="Two-factor authentication">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <CodeField
          hint="The six digits in your authenticator app, or one of your recovery codes."
          value={code}
          onInput={setCode}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <Button type="submit" kind="primary" busy={busy}>
          Continue
        </Button>
        <PasskeyButton onDone={onDone} />
        <Button kind="quiet" onClick={onCancel}>
          Back to sign-in
        </Button>
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
