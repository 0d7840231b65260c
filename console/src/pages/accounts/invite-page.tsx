/** The link of an invitation: join with a new account, or with the one that the address has. */
import { useState } from 'preact/hooks';
import { getSignUp, signUp } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { readLinkToken } from '../../lib/link-token.ts';
import type { PageProps } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { NewPasswordField, passwordErrorOf } from './credential-fields.tsx';

export function Page({ params }: PageProps) {
  const id = params['invite'] ?? '';
  const [token] = useState(() => readLinkToken(location));
  const preview = useResource((signal) => getSignUp(id, token, signal), [id, token]);
  return (
    <StandalonePage title="Accept invitation">
      <Loaded resource={preview}>
        {(invite) => (
          <>
            <p>
              You are invited to join <b>{invite.organization_name}</b> as {invite.target_email}.
            </p>
            {invite.is_signed_in ? (
              <JoinSignedIn id={id} token={token} />
            ) : (
              <JoinByPassword id={id} token={token} firstName={invite.first_name} />
            )}
          </>
        )}
      </Loaded>
    </StandalonePage>
  );
}

interface JoinProps {
  id: string;
  token: string;
}

const goHome = (): void => navigate('/', { replace: true });

function JoinSignedIn({ id, token }: JoinProps) {
  const join = useAction(async () => {
    await signUp(id, { token });
    goHome();
  });
  return (
    <div class="stack">
      {join.error !== undefined && <ErrorNote error={join.error} />}
      <Button kind="primary" busy={join.busy} onClick={() => void join.run()}>
        Join
      </Button>
    </div>
  );
}

function JoinByPassword({ id, token, firstName }: JoinProps & { firstName: string }) {
  const [name, setName] = useState(firstName);
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await signUp(id, { token, password, first_name: name });
    goHome();
  });
  const passwordError = passwordErrorOf(error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <TextField label="Name" value={name} onInput={setName} maxLength={150} autocomplete="name" />
      <NewPasswordField
        label="Password"
        hint="If you have an account on this server, its password. Otherwise choose one: at least 8 characters, not a common one."
        error={passwordError}
        value={password}
        onInput={setPassword}
      />
      {error !== undefined && passwordError === null && <ErrorNote error={error} />}
      <Button type="submit" kind="primary" busy={busy}>
        Join
      </Button>
    </form>
  );
}
