import './person-page.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { getPerson, getPersonSummary, type Person } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Loaded, NotFound } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { type Resource, useResource } from '../../lib/use-resource.ts';
import { CohortsTab } from './cohorts-tab.tsx';
import { DeletePerson } from './delete-person.tsx';
import { DistinctIdsTab } from './distinct-ids-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { FlagsTab } from './flags-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { PropertiesTab } from './properties-tab.tsx';
import { SplitPerson } from './split-person.tsx';

const TABS = [
  { id: 'properties', label: 'Properties' },
  { id: 'events', label: 'Events' },
  { id: 'flags', label: 'Feature flags' },
  { id: 'cohorts', label: 'Cohorts' },
  { id: 'ids', label: 'Distinct IDs' },
  { id: 'history', label: 'Activity' },
] as const;
type TabId = (typeof TABS)[number]['id'];

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['person'] ?? '';
  const person = useResource((signal) => getPerson(id, key, signal), [id, key]);
  const all = <Link to={pathTo('persons', { project: id }) ?? '/'}>All persons</Link>;
  return (
    <PageFrame
      title={person.data?.name ?? 'Person'}
      lead={person.data && all}
      actions={person.data && <Actions person={person.data} onSplit={person.set} />}
    >
      <Loaded resource={person} notFound={<NotFound name="Person" all={all} />}>
        {(data) => <PersonTabs key={data.uuid} person={data} resource={person} />}
      </Loaded>
    </PageFrame>
  );
}

function Actions({ person, onSplit }: { person: Person; onSplit(person: Person): void }) {
  const [dialog, setDialog] = useState<'split' | 'delete' | null>(null);
  return (
    <>
      {person.distinct_ids.length > 1 && <Button onClick={() => setDialog('split')}>Split…</Button>}
      <Button kind="danger" onClick={() => setDialog('delete')}>
        Delete…
      </Button>
      {dialog === 'split' && <SplitPerson person={person} onDone={onSplit} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && <DeletePerson person={person} onClose={() => setDialog(null)} />}
    </>
  );
}

function PersonTabs({ person, resource }: { person: Person; resource: Resource<Person> }) {
  const [tab, setTab] = useQueryState('tab', 'properties');
  const shown: TabId = TABS.find(({ id }) => id === tab)?.id ?? 'properties';
  const onChange = (next?: Person): void => (next ? resource.set(next) : resource.reload());
  const panels: Record<TabId, () => ComponentChildren> = {
    properties: () => <PropertiesTab person={person} onChange={onChange} />,
    events: () => (
      <EventsTab
        of={{ person_id: person.uuid }}
        hint="This person was created without events, or data retention has deleted them."
      />
    ),
    flags: () => <FlagsTab person={person} />,
    cohorts: () => <CohortsTab person={person} />,
    ids: () => <DistinctIdsTab person={person} onChange={onChange} />,
    history: () => <HistoryTab person={person} />,
  };
  return (
    <>
      <Summary person={person} />
      <Tabs label="Person" tabs={TABS} value={shown} onChange={setTab}>
        {panels[shown]()}
      </Tabs>
    </>
  );
}

function Summary({ person }: { person: Person }) {
  const { id } = useProject();
  const ids = person.distinct_ids.length;
  const summary = useResource((signal) => getPersonSummary(id, person.uuid, signal), [id, person.uuid, ids]);
  const { data } = summary;
  return (
    <section class="card person-head" aria-label="Summary">
      <Fact name="Status">
        {person.is_identified ? <Badge tone="good">Identified</Badge> : <Badge>Anonymous</Badge>}
      </Fact>
      <Fact name="Distinct IDs">{formatNumber(ids)}</Fact>
      <Fact name="Events">{data ? formatNumber(data.events) : '…'}</Fact>
      <Fact name="First seen">
        <Time at={data?.first_seen_at ?? person.created_at} />
      </Fact>
      <Fact name="Last seen">{data ? <Time at={data.last_seen_at} /> : '…'}</Fact>
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <span class="name">{name}</span>
    <span>{children}</span>
  </div>
);
