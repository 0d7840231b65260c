import { useState } from 'preact/hooks';
import { resetProjectKey, rotateSecretKey } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Banner } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import type { SettingsProps } from './settings-props.ts';

export function Keys({ project, onSaved }: SettingsProps) {
  const [dialog, setDialog] = useState<'public' | 'secret' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section class="card stack" aria-label="API keys">
      <h2>API keys</h2>
      <Facts
        facts={[
          [
            'Project API key',
            <span class="row">
              <code>{project.api_token}</code>
              <CopyButton text={project.api_token} />
              <Button small onClick={() => setDialog('public')}>
                Reset…
              </Button>
            </span>,
          ],
          [
            'Secret API key',
            <span class="row">
              {project.has_secret_api_token ? 'Set' : 'Not set'}
              <Button small onClick={() => setDialog('secret')}>
                {project.has_secret_api_token ? 'Rotate…' : 'Create…'}
              </Button>
            </span>,
          ],
        ]}
      />
      <p class="muted small">
        The project API key is public: it can only send events and evaluate feature flags. The secret API key is for
        servers that evaluate feature flags locally.
      </p>
      {secret !== null && (
        <Banner tone="warn" action={<CopyButton text={secret} />}>
          Copy the secret API key now. It is shown only once: <code>{secret}</code>
        </Banner>
      )}
      {dialog === 'public' && (
        <Confirm
          title="Reset the project API key?"
          action="Reset key"
          danger
          typed={project.name}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await resetProjectKey(project.id);
            toast('Project API key reset. Update it in your apps.');
            onSaved();
          }}
        >
          <p>
            The current key stops working at once. Apps that still use it can neither send events nor evaluate feature
            flags until you update them. Events sent with the old key are rejected and lost.
          </p>
        </Confirm>
      )}
      {dialog === 'secret' && (
        <Confirm
          title={project.has_secret_api_token ? 'Rotate the secret API key?' : 'Create a secret API key?'}
          action={project.has_secret_api_token ? 'Rotate key' : 'Create key'}
          danger={project.has_secret_api_token}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            setSecret((await rotateSecretKey(project.id)).secret_api_token);
            onSaved();
          }}
        >
          <p>
            {project.has_secret_api_token && 'Servers that use the current key are rejected at once. '}
            The key is shown only once. Cairn stores only a hash of it.
          </p>
        </Confirm>
      )}
    </section>
  );
}
