import { useState } from 'preact/hooks';
import { createKey, type NewPersonalKey } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { Code, CopyButton } from '../../components/code.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, ErrorNote } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { publicUrl } from '../../lib/public-url.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction } from '../../lib/use-resource.ts';
import { scopesOf } from '../accounts/key-access.ts';
import { assistantClients } from './clients.ts';

const KEY_DAYS = 90;
const DAY_MS = 86_400_000;

/** A key for an assistant, and how each client is connected with it. */
export function Page() {
  const [created, setCreated] = useState<NewPersonalKey | null>(null);
  const clients = assistantClients(publicUrl(), created?.value ?? null);
  const [selected, choose] = useQueryState('with', 'claude');
  const shown = clients.find(({ id }) => id === selected) ?? clients[0];
  return (
    <PageFrame
      title="Connect an assistant"
      lead="Claude Code, Cursor, VS Code and others ask this project questions through MCP. There is nothing to install."
    >
      <KeyCard created={created} onCreated={setCreated} />
      <section class="stack" aria-label="Client">
        <h2>2. Add the server</h2>
        <Tabs label="Client" tabs={clients} value={shown?.id ?? 'claude'} onChange={choose}>
          {shown && (
            <>
              <p class="muted">{shown.hint}</p>
              <Code text={shown.code} label={`Configuration for ${shown.label}`} />
            </>
          )}
        </Tabs>
      </section>
      <section class="card stack-s" aria-label="First question">
        <h2>3. Ask</h2>
        <p>Which page lost most visitors last week, who are they, and which flag changed that day?</p>
        <p class="muted small">
          Assistants read texts that visitors wrote, such as names of events. Cairn marks them as data, and a key that
          only reads cannot change the project.{' '}
          <Link to={pathTo('guide', { guide: 'agents' }) ?? '/'}>What assistants can do</Link>
        </p>
      </section>
    </PageFrame>
  );
}

function KeyCard({ created, onCreated }: { created: NewPersonalKey | null; onCreated(key: NewPersonalKey): void }) {
  const { id, name } = useProject();
  const create = useAction(async () => {
    const key = await createKey({
      label: 'Assistant',
      scopes: scopesOf('assistant', {}),
      scoped_teams: [id],
      expires_at: new Date(Date.now() + KEY_DAYS * DAY_MS).toISOString(),
    });
    onCreated(key);
  });
  return (
    <section class="card stack" aria-label="Key">
      <h2>1. Create a key</h2>
      <p class="muted">
        It reads the project {name}, changes nothing, and ends after {KEY_DAYS} days. For other access, create one under{' '}
        <Link to={pathTo('account') ?? '/'}>Personal API keys</Link>.
      </p>
      {created === null ? (
        <div>
          <Button kind="primary" busy={create.busy} onClick={() => void create.run()}>
            Create key
          </Button>
        </div>
      ) : (
        <Banner tone="warn" action={<CopyButton text={created.value} />}>
          Copy the key now. It is shown only once: <code>{created.value}</code>
        </Banner>
      )}
      {create.error !== undefined && <ErrorNote error={create.error} />}
    </section>
  );
}
