import { useState } from 'preact/hooks';
import { resetProjectKey } from '../../api/projects.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { toast } from '../../components/toast.tsx';
import type { SettingsProps } from './settings-props.ts';

export function Keys({ project, onSaved }: SettingsProps) {
  const [isResetting, setResetting] = useState(false);
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
              <Button small onClick={() => setResetting(true)}>
                Reset…
              </Button>
            </span>,
          ],
        ]}
      />
      <p class="muted small">The project API key is public: it can only send events and evaluate feature flags.</p>
      {isResetting && (
        <Confirm
          title="Reset the project API key?"
          action="Reset key"
          danger
          typed={project.name}
          onClose={() => setResetting(false)}
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
    </section>
  );
}
