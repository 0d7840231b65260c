/** One person: what they are like, what they did, which flags they get and why, and how they came to be one. */
import { getPerson, getPersonSummary, type Person } from '../../api/persons.ts';
import './person-page.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { type Resource, useResource } from '../../lib/use-resource.ts';
import { CohortsTab } from './cohorts-tab.tsx';
import { DeletePerson } from './delete-person.tsx';
import { IdsTab } from './distinct-ids-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { FlagsTab } from './flags-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { PropertiesTab } from './properties-tab.tsx';
import { SplitPerson } from './split-person.tsx';

const TABS = [
  { id: 'properties', label: 'Properties' },
  { id: 'events', label: 'Events' },
  { id: 'flags', label: 'Flags' },
  { id: 'cohorts', label: 'Cohorts' },
  { id: 'ids', label: 'Ids and merges' },
  { id: 'history', label: 'History' },
] as const;
type TabId = (typeof TABS)[number]['id'];

export interface TabProps {
  person: Person;
  /** After a change; with the person where the answer has it. */
  onChange(person?: Person): void;
}

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['person'] ?? '';
  const person = useResource((signal) => getPerson(id, key, signal), [id, key]);
  return (
    <PageFrame
      title={person.data?.name ?? 'Person'}
      lead={<Link to={pathTo('persons', { project: id }) ?? '/'}>All persons</Link>}
      actions={person.data && <Actions person={person.data} onSplit={person.set} />}
    >
      <Loaded resource={person}>{(data) => <About key={data.uuid} person={data} resource={person} />}</Loaded>
    </PageFrame>
  );
}

function Actions({ person, onSplit }: { person: Person; onSplit(person: Person): void }) {
  const [asked, ask] = useState<'split' | 'delete' | null>(null);
  return (
    <>
      {person.distinct_ids.length > 1 && <Button onClick={() => ask('split')}>Split…</Button>}
      <Button kind="danger" onClick={() => ask('delete')}>
        Delete…
      </Button>
      {asked === 'split' && <SplitPerson person={person} onDone={onSplit} onClose={() => ask(null)} />}
      {asked === 'delete' && <DeletePerson person={person} onClose={() => ask(null)} />}
    </>
  );
}

function About({ person, resource }: { person: Person; resource: Resource<Person> }) {
  const [tab, setTab] = useQueryState('tab', 'properties');
  const shown: TabId = TABS.find(({ id }) => id === tab)?.id ?? 'properties';
  const onChange = (next?: Person): void => (next ? resource.set(next) : resource.reload());
  const panels: Record<TabId, () => ComponentChildren> = {
    properties: () => <PropertiesTab person={person} onChange={onChange} />,
    events: () => <EventsTab person={person} />,
    flags: () => <FlagsTab person={person} />,
    cohorts: () => <CohortsTab person={person} />,
    ids: () => <IdsTab person={person} onChange={onChange} />,
    history: () => <HistoryTab person={person} />,
  };
  return (
    <>
      <Head person={person} />
      <Tabs label="About the person" tabs={TABS} value={shown} onChange={setTab}>
        {panels[shown]()}
      </Tabs>
    </>
  );
}

function Head({ person }: { person: Person }) {
  const { id } = useProject();
  const ids = person.distinct_ids.length;
  const summary = useResource((signal) => getPersonSummary(id, person.uuid, signal), [id, person.uuid, ids]);
  const { data } = summary;
  return (
    <section class="card person-head" aria-label="In short">
      <Short name="Kind">
        {person.is_identified ? <Badge tone="good">identified</Badge> : <Badge>anonymous</Badge>}
      </Short>
      <Short name="Distinct ids">{formatNumber(ids)}</Short>
      <Short name="Events">{data ? formatNumber(data.events) : '…'}</Short>
      <Short name="First seen">
        <Time at={data?.first_seen_at ?? person.created_at} />
      </Short>
      <Short name="Last seen">{data ? <Time at={data.last_seen_at} /> : '…'}</Short>
    </section>
  );
}

const Short = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <span class="name">{name}</span>
    <span>{children}</span>
  </div>
);
