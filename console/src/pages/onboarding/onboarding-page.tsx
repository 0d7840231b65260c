import './onboarding.css';
import { Code, CopyButton } from '../../components/code.tsx';
import { Facts } from '../../components/facts.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { publicUrl } from '../../lib/public-url.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { DemoDataCard } from './demo-data-card.tsx';
import { FirstEvent } from './first-event.tsx';
import { snippetsFor } from './snippets.ts';

export function Page() {
  const { api_token: key } = useProject();
  const host = publicUrl();
  const snippets = snippetsFor(host, key);
  const [selected, choose] = useQueryState('with', 'web');
  const shown = snippets.find(({ id }) => id === selected) ?? snippets[0];
  return (
    <PageFrame
      title="Install an SDK"
      lead="Cairn works with PostHog's SDKs. Pick your platform, and use this server's address and your project API key."
    >
      <FirstEvent />
      <section class="stack" aria-label="Installation">
        <Tabs label="Platform" tabs={snippets} value={shown?.id ?? 'web'} onChange={choose}>
          {shown && (
            <>
              <p class="muted">{shown.hint}</p>
              <Code text={shown.code} label={`Code for ${shown.label}`} />
            </>
          )}
        </Tabs>
      </section>
      <section class="card stack-s" aria-label="Host and API key">
        <h2>Host and API key</h2>
        <Facts
          facts={[
            ['Host', <Copyable key="address" text={host} />],
            ['Project API key', <Copyable key="key" text={key} />],
          ]}
        />
        <p class="muted small">The project API key is public: it can only send events and evaluate feature flags.</p>
      </section>
      <DemoDataCard />
    </PageFrame>
  );
}

const Copyable = ({ text }: { text: string }) => (
  <span class="row">
    <code>{text}</code> <CopyButton text={text} />
  </span>
);
