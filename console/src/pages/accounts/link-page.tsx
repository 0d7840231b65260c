/** After the first sign-in by the provider of a person whose address has an account already: is it theirs? */
import { useState } from 'preact/hooks';
import { getPendingLink, linkAccount } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { safePath } from '../../lib/paths.ts';
import { navigate } from '../../lib/router.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { CodeField } from './credential-fields.tsx';

export function Page() {
  const pending = useResource(getPendingLink, []);
  return (
    <StandalonePage title="Link your account">
      <Loaded resource={pending}>{(link) => <LinkForm {...link} needsCode={link.needs_code} />}</Loaded>
      <p class="small">
        <a href="/login">Back to sign-in</a>
      </p>
    </StandalonePage>
  );
}

function LinkForm({ email, provider, needsCode }: { email: string; provider: string; needsCode: boolean }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { run, busy, error } = useAction(async () => {
    const { next } = await linkAccount({ password, ...(needsCode ? { token: code } : {}) });
    navigate(safePath(next) ?? '/', { replace: true });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <p>
        <b>{email}</b> has an account here. Show once that it is yours; after that, you sign in with {provider}.
      </p>
      <TextField
        label="Password"
        hint="Of your account here, not of your provider."
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onInput={setPassword}
      />
      {needsCode && (
        <CodeField
          hint="The six digits in your authenticator app, or one of your recovery codes."
          value={code}
          onInput={setCode}
        />
      )}
      {error !== undefined && <ErrorNote error={error} />}
      <Button type="submit" kind="primary" busy={busy}>
        Link account
      </Button>
    </form>
  );
}
