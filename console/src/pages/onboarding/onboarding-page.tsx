/** How to connect: this server's own address and key, ready to copy, and a word when the first event has come. */
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
  const [chosen, choose] = useQueryState('with', 'web');
  const shown = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  return (
    <PageFrame
      title="Connect your product"
      lead="Cairn speaks the wire of PostHog's SDKs: take the one for your language and point it here."
    >
      <FirstEvent />
      <section class="stack" aria-label="Code for your product">
        <Tabs label="Language" tabs={snippets} value={shown?.id ?? 'web'} onChange={choose}>
          {shown && (
            <>
              <p class="soft">{shown.hint}</p>
              <Code text={shown.code} label={`Code for ${shown.label}`} />
            </>
          )}
        </Tabs>
      </section>
      <section class="card stack-s" aria-label="Address and key">
        <h2>By hand</h2>
        <Facts
          facts={[
            ['Address', <Copyable key="address" text={host} />],
            ['Project key', <Copyable key="key" text={key} />],
          ]}
        />
        <p class="soft small">
          The project key may be seen by everybody: it can send events and read flags, nothing else.
        </p>
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
