/** Two-factor authentication: set up an authenticator app or passkeys, keep recovery codes, turn it off. */
import './second-factors.css';
import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { ApiError } from '../../api/api-error.ts';
import {
  addPasskey,
  confirmTotp,
  deletePasskey,
  type FactorStatus,
  getFactorStatus,
  listPasskeys,
  type Passkey,
  passkeyError,
  replaceCodes,
  startTotp,
  supportsPasskeys,
  turnOffTotp,
} from '../../api/factors.ts';
import { Button } from '../../components/button.tsx';
import { Code, CopyButton } from '../../components/code.tsx';
import { Confirm, Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Badge, Banner, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { CodeField } from './credential-fields.tsx';

/** `onEnabled` is called after a first factor was set up and its recovery codes were seen. */
export function SecondFactors({ onEnabled }: { onEnabled?: () => void }) {
  const status = useResource(getFactorStatus, []);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const added = (made: readonly string[]): void => {
    status.reload();
    if (made.length > 0) setCodes(made);
    else onEnabled?.();
  };
  return (
    <section class="card stack" aria-label="Two-factor authentication">
      <h2>Two-factor authentication</h2>
      <p class="muted">
        Besides your password, a code of an authenticator app or a passkey. Keep recovery codes in case you lose them.
      </p>
      {codes.length > 0 && (
        <RecoveryCodes
          codes={codes}
          onSeen={() => {
            setCodes([]);
            onEnabled?.();
          }}
        />
      )}
      <Loaded resource={status}>
        {(data) => (
          <>
            <AuthenticatorApp isOn={data.method === 'TOTP'} onAdded={added} onChanged={status.reload} />
            <Passkeys onAdded={added} onChanged={status.reload} />
            {data.is_enabled && <CodesLeft status={data} onMade={added} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

const RecoveryCodes = ({ codes, onSeen }: { codes: readonly string[]; onSeen(): void }) => (
  <Banner tone="warn" action={<CopyButton text={codes.join('\n')} />}>
    <p>Save these recovery codes now. Each works once, and they are shown only now.</p>
    <ul class="recovery-codes" aria-label="Recovery codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <Button small onClick={onSeen}>
      I saved them
    </Button>
  </Banner>
);

interface FactorProps {
  /** With the recovery codes, if this was the first factor. */
  onAdded(codes: readonly string[]): void;
  onChanged(): void;
}

function AuthenticatorApp({ isOn, onAdded, onChanged }: FactorProps & { isOn: boolean }) {
  const [dialog, setDialog] = useState<'set up' | 'turn off' | null>(null);
  const close = (): void => setDialog(null);
  return (
    <div class="factor-row">
      <div>
        <b>Authenticator app</b> {isOn && <Badge tone="good">On</Badge>}
        <div class="muted small">Six digits of an app on your phone.</div>
      </div>
      {isOn ? (
        <Button onClick={() => setDialog('turn off')}>Turn off…</Button>
      ) : (
        <Button onClick={() => setDialog('set up')}>Set up…</Button>
      )}
      {dialog === 'set up' && (
        <SetUpApp
          onClose={close}
          onDone={(codes) => {
            close();
            onAdded(codes);
          }}
        />
      )}
      {dialog === 'turn off' && (
        <CodeDialog
          title="Turn off the authenticator app?"
          action="Turn off"
          onClose={close}
          onCode={async (code) => {
            await turnOffTotp(code);
            close();
            toast('Authenticator app turned off.');
            onChanged();
          }}
        />
      )}
    </div>
  );
}

function SetUpApp({ onClose, onDone }: { onClose(): void; onDone(codes: readonly string[]): void }) {
  const [password, setPassword] = useState('');
  const setup = useResource(() => startTotp(''), []);
  const again = useAction(async () => setup.set(await startTotp(password)));
  const needsPassword = setup.error instanceof ApiError && setup.error.code === 'reauthentication_required';
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose}>
      {needsPassword && setup.data === undefined ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void again.run();
          }}
        >
          <TextField
            label="Current password"
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onInput={setPassword}
          />
          {again.error !== undefined && <ErrorNote error={again.error} />}
          <DialogActions onCancel={onClose}>
            <Button type="submit" kind="primary" busy={again.busy}>
              Continue
            </Button>
          </DialogActions>
        </form>
      ) : (
        <Loaded resource={setup}>
          {({ secret, otpauth_url }) => (
            <ConfirmApp secret={secret} url={otpauth_url} onClose={onClose} onDone={onDone} />
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

interface ConfirmAppProps {
  secret: string;
  url: string;
  onClose(): void;
  onDone(codes: readonly string[]): void;
}

function ConfirmApp({ secret, url, onClose, onDone }: ConfirmAppProps) {
  const [code, setCode] = useState('');
  const confirm = useAction(async () => onDone((await confirmTotp(code)).backup_codes));
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void confirm.run();
      }}
    >
      <p>Scan this code with your authenticator app, or enter the key yourself.</p>
      <QrCode text={url} />
      <Code text={secret} label="Key" />
      <TextField
        label="Code"
        hint="The six digits that the app shows now."
        autocomplete="one-time-code"
        required
        maxLength={6}
        value={code}
        onInput={setCode}
      />
      {confirm.error !== undefined && <ErrorNote error={confirm.error} />}
      <DialogActions onCancel={onClose}>
        <Button type="submit" kind="primary" busy={confirm.busy}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  );
}

/** Drawn here: the secret is sent nowhere. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for the authenticator app">
      <path d={squares.join('')} />
    </svg>
  );
}

interface CodeDialogProps {
  title: string;
  action: string;
  onClose(): void;
  onCode(code: string): Promise<void>;
}

function CodeDialog({ title, action, onClose, onCode }: CodeDialogProps) {
  const [code, setCode] = useState('');
  const { run, busy, error } = useAction(() => onCode(code));
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <CodeField hint="Of your authenticator app, or a recovery code." value={code} onInput={setCode} />
        {error !== undefined && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" kind="primary" busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Passkeys({ onAdded, onChanged }: FactorProps) {
  const passkeys = useResource(listPasskeys, []);
  const [label, setLabel] = useState('');
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const add = useAction(async () => {
    const made = await addPasskey(label).catch((failure: unknown) => {
      throw passkeyError(failure);
    });
    setLabel('');
    passkeys.reload();
    onAdded(made.backup_codes);
  });
  const columns: Column<Passkey>[] = [
    { id: 'label', title: 'Passkey', cell: (one) => <b class="truncate">{one.label}</b> },
    { id: 'used', title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} as="relative" /> },
    {
      id: 'delete',
      title: 'Delete',
      hideTitle: true,
      cell: (one) => (
        <Button small kind="quiet" aria-label={`Delete passkey ${one.label}`} onClick={() => setRemoving(one)}>
          Delete…
        </Button>
      ),
    },
  ];
  return (
    <div class="stack">
      <div>
        <b>Passkeys</b>
        <div class="muted small">
          {supportsPasskeys()
            ? 'Sign in with your device or a security key, without a password.'
            : 'Passkeys need a browser that supports them, and https with a host name.'}
        </div>
      </div>
      {(passkeys.data?.length ?? 0) > 0 && (
        <Table label="Passkeys" columns={columns} rows={passkeys.data ?? []} rowKey={({ id }) => id} />
      )}
      {supportsPasskeys() && (
        <form
          class="row-end"
          onSubmit={(event) => {
            event.preventDefault();
            void add.run();
          }}
        >
          <TextField label="Name" placeholder="Laptop" value={label} onInput={setLabel} required maxLength={100} />
          <Button type="submit" busy={add.busy}>
            Add passkey
          </Button>
        </form>
      )}
      {add.error !== undefined && <ErrorNote error={add.error} />}
      {removing && (
        <Confirm
          title={`Delete the passkey ${removing.label}?`}
          action="Delete passkey"
          danger
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await deletePasskey(removing.id);
            passkeys.reload();
            onChanged();
          }}
        >
          <p>You can no longer sign in with it. Remove it from your device, too.</p>
        </Confirm>
      )}
    </div>
  );
}

function CodesLeft({ status, onMade }: { status: FactorStatus; onMade(codes: readonly string[]): void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="factor-row">
      <div>
        <b>Recovery codes</b>
        <div class="muted small">{status.backup_codes_left} of 10 left.</div>
      </div>
      <Button onClick={() => setAsking(true)}>Create new codes…</Button>
      {isAsking && (
        <CodeDialog
          title="Create new recovery codes?"
          action="Create codes"
          onClose={() => setAsking(false)}
          onCode={async (code) => {
            const { backup_codes } = await replaceCodes(code);
            setAsking(false);
            onMade(backup_codes);
          }}
        />
      )}
    </div>
  );
}
