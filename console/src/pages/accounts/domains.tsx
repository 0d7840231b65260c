/** Single sign-on of the organization: its domains, who joins by them, and whether it is required. */
import { useState } from 'preact/hooks';
import {
  addDomain,
  type Domain,
  listDomains,
  removeDomain,
  updateDomain,
  verifyDomain,
} from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Switch, TextField } from '../../components/field.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useAction, useResource } from '../../lib/use-resource.ts';

export function Domains({ organizationId }: { organizationId: string }) {
  const domains = useResource((signal) => listDomains(organizationId, signal), [organizationId]);
  return (
    <section class="card stack" aria-label="Single sign-on">
      <h2>Single sign-on</h2>
      <p class="muted small">
        Prove that a domain of email addresses is yours. Then new colleagues can join by signing in, and you can require
        single sign-on of all people with an address there. An operator sets up the provider: see{' '}
        <a href="/help/single-sign-on">Single sign-on</a>.
      </p>
      <Loaded resource={domains}>
        {(all) => (
          <>
            {all.map((domain) => (
              <DomainCard key={domain.id} organizationId={organizationId} domain={domain} onChange={domains.reload} />
            ))}
          </>
        )}
      </Loaded>
      <AddDomain organizationId={organizationId} onDone={domains.reload} />
    </section>
  );
}

function AddDomain({ organizationId, onDone }: { organizationId: string; onDone(): void }) {
  const [name, setName] = useState('');
  const { run, busy, error } = useAction(async () => {
    await addDomain(organizationId, name);
    setName('');
    onDone();
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <TextField
        label="Add a domain"
        placeholder="example.org"
        required
        maxLength={253}
        value={name}
        onInput={setName}
      />
      {error !== undefined && <ErrorNote error={error} />}
      <div>
        <Button type="submit" busy={busy}>
          Add domain
        </Button>
      </div>
    </form>
  );
}

interface DomainProps {
  organizationId: string;
  domain: Domain;
  onChange(): void;
}

function DomainCard({ organizationId, domain, onChange }: DomainProps) {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <fieldset class="card stack" aria-label={domain.domain}>
      <h3 class="truncate">{domain.domain}</h3>
      {domain.is_verified ? (
        <Rules organizationId={organizationId} domain={domain} onChange={onChange} />
      ) : (
        <Proof organizationId={organizationId} domain={domain} onChange={onChange} />
      )}
      <div>
        <Button small kind="quiet" aria-label={`Remove… ${domain.domain}`} onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      </div>
      {isRemoving && (
        <Confirm
          title={`Remove ${domain.domain}?`}
          action="Remove domain"
          danger
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeDomain(organizationId, domain.id);
            onChange();
          }}
        >
          <p>People with an address there can sign in with a password again, and no one joins by it.</p>
        </Confirm>
      )}
    </fieldset>
  );
}

function Proof({ organizationId, domain, onChange }: DomainProps) {
  const { run, busy, error } = useAction(async () => {
    await verifyDomain(organizationId, domain.id);
    toast(`${domain.domain} is proved.`);
    onChange();
  });
  return (
    <>
      <p class="small">Add this TXT record to the DNS of {domain.domain}, then look for it:</p>
      <Code label="TXT record" text={domain.verification_challenge} />
      {error !== undefined && <ErrorNote error={error} />}
      <div>
        <Button busy={busy} onClick={() => void run()}>
          Look for the record
        </Button>
      </div>
    </>
  );
}

function Rules({ organizationId, domain, onChange }: DomainProps) {
  const change = (body: Parameters<typeof updateDomain>[2]): void =>
    void updateDomain(organizationId, domain.id, body)
      .then(() => toast('Saved.'), toastError)
      .then(onChange);
  return (
    <>
      <Switch
        label="New people join when they first sign in"
        checked={domain.jit_provisioning_enabled}
        onChange={(next) => change({ jit_provisioning_enabled: next })}
      />
      <Switch
        label="Require single sign-on"
        checked={domain.sso_enforcement === 'oidc'}
        onChange={(next) => change({ sso_enforcement: next ? 'oidc' : '' })}
      />
      <p class="muted small">
        If it is required, passwords and passkeys of people with an address at {domain.domain} no longer sign in. One
        owner has to be able to sign in while the provider is away. Personal API keys are not affected.
      </p>
    </>
  );
}
