import { useState } from 'preact/hooks';
import { getSignInOptions, isSsoRequired, signIn } from '../../api/accounts.ts';
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
import { ssoErrorText } from './sso-errors.ts';

export function Page() {
  const { query } = useLocation();
  const [isFactorDue, setFactorDue] = useState(query.has('factor'));
  const done = (): void => navigate(safePath(query.get('next')) ?? '/', { replace: true });
  return isFactorDue ? (
    <SecondStep onDone={done} onCancel={() => setFactorDue(false)} />
  ) : (
    <FirstStep query={query} onDone={done} onFactorDue={() => setFactorDue(true)} />
  );
}

interface FirstStepProps {
  query: URLSearchParams;
  onDone(): void;
  onFactorDue(): void;
}

function FirstStep({ query, onDone, onFactorDue }: FirstStepProps) {
  const options = useResource(getSignInOptions, []).data;
  /** Past the provider, for the owner who may. */
  const isLocal = query.has('local');
  const sso = isLocal ? null : (options?.sso ?? null);
  const [email, setEmail] = useState('');
  const [isRequired, setRequired] = useState(false);
  const precheck = (): void => {
    if (sso !== null && email.includes('@')) void isSsoRequired(email).then(setRequired, () => setRequired(false));
  };
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    try {
      await signIn({ email, password, ...(isLocal ? { local: true } : {}) });
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === '2fa_required') return onFactorDue();
      if (failure instanceof ApiError && failure.code === 'sso_enforced' && sso !== null) setRequired(true);
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
        {query.has('next') && <p class="muted">Sign in to continue where you left off.</p>}
        {isLocal && <p class="muted">Sign in without single sign-on. All owners are told.</p>}
        <SsoError code={query.get('error')} />
        {sso !== null && <SsoButton sso={sso} next={query.get('next')} isOnly={isRequired} />}
        <TextField
          label="Email"
          type="email"
          autocomplete="username"
          required
          value={email}
          onInput={(next) => {
            setEmail(next);
            setRequired(false);
          }}
          onBlur={precheck}
        />
        {isRequired && sso !== null ? (
          <p role="status">Your organization requires you to sign in with {sso.name}.</p>
        ) : (
          <>
            <TextField
              label="Password"
              type="password"
              autocomplete="current-password"
              required
              value={password}
              onInput={setPassword}
            />
            {error !== undefined && <ErrorNote error={error} />}
            <Button type="submit" kind={sso === null ? 'primary' : 'plain'} busy={busy}>
              Sign in
            </Button>
            <PasskeyButton onDone={onDone} />
            <ForgottenPassword isMailed={options?.password_reset} />
          </>
        )}
        <p class="muted small">
          No account yet? The server prints a setup link when it starts for the first time. After that, an admin invites
          members.
        </p>
      </form>
    </StandalonePage>
  );
}

function SsoError({ code }: { code: string | null }) {
  const text = ssoErrorText(code);
  return text === null ? null : <ErrorNote error={new Error(text)} />;
}

interface SsoButtonProps {
  sso: { name: string; url: string };
  next: string | null;
  /** There is no other way in. */
  isOnly: boolean;
}

/** Leaves the console: the server sends the browser on to the provider. */
function SsoButton({ sso, next, isOnly }: SsoButtonProps) {
  const path = safePath(next);
  const go = (): void => location.assign(path === null ? sso.url : `${sso.url}?next=${encodeURIComponent(path)}`);
  return (
    <>
      <Button kind="primary" onClick={go}>
        Sign in with {sso.name}
      </Button>
      {!isOnly && <p class="muted small">or with your password:</p>}
    </>
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

function ForgottenPassword({ isMailed }: { isMailed: boolean | undefined }) {
  if (isMailed === undefined) return null;
  return (
    <p class="small">
      {isMailed ? (
        <a href="/reset">Forgot your password?</a>
      ) : (
        <span class="muted">Forgot your password? Ask an admin for a link to choose a new one.</span>
      )}
    </p>
  );
}
