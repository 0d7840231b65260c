import { useState } from 'preact/hooks';
import { resetProjectKey, rotateSecretKey } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Banner } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import type { SettingsProps } from './settings-page.tsx';

export function Keys({ project, onSaved }: SettingsProps) {
  const [asked, ask] = useState<'public' | 'secret' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section class="card stack" aria-label="Keys">
      <h2>Keys</h2>
      <Facts
        facts={[
          [
            'Project key',
            <span class="row">
              <code>{project.api_token}</code>
              <CopyButton text={project.api_token} />
              <Button small onClick={() => ask('public')}>
                New key…
              </Button>
            </span>,
          ],
          [
            'Secret key',
            <span class="row">
              {project.has_secret_api_token ? 'is set' : 'none yet'}
              <Button small onClick={() => ask('secret')}>
                {project.has_secret_api_token ? 'New key…' : 'Make one…'}
              </Button>
            </span>,
          ],
        ]}
      />
      <p class="soft small">
        The project key stands in your pages: it can send events and read flags, nothing else. The secret key is for
        servers that evaluate flags by themselves.
      </p>
      {secret !== null && (
        <Banner tone="warn" action={<CopyButton text={secret} />}>
          The new secret key, shown this once: <code>{secret}</code>
        </Banner>
      )}
      {asked === 'public' && (
        <Confirm
          title="Give the project a new key?"
          action="Replace the key"
          danger
          typed={project.name}
          onClose={() => ask(null)}
          onConfirm={async () => {
            await resetProjectKey(project.id);
            toast('The project has a new key. Put it into your product.');
            onSaved();
          }}
        >
          <p>
            The present key stops working at once: every page and app that still has it can neither send events nor read
            flags until it gets the new one. Events sent with the old key are refused, not kept.
          </p>
        </Confirm>
      )}
      {asked === 'secret' && (
        <Confirm
          title={project.has_secret_api_token ? 'Replace the secret key?' : 'Make a secret key?'}
          action={project.has_secret_api_token ? 'Replace it' : 'Make it'}
          danger={project.has_secret_api_token}
          onClose={() => ask(null)}
          onConfirm={async () => {
            setSecret((await rotateSecretKey(project.id)).secret_api_token);
            onSaved();
          }}
        >
          <p>
            {project.has_secret_api_token && 'Servers that use the present one are refused at once. '}
            It is shown once, right after; Cairn keeps nothing that it could be read from.
          </p>
        </Confirm>
      )}
    </section>
  );
}
