/** One group: its properties, events, the persons and groups it has events with, and its feature flags. */
import '../persons/person-page.css';
import type { ComponentChildren } from 'preact';
import { type Group, type GroupType, getGroup, listGroupTypes } from '../../api/groups.ts';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PropertyList } from '../../components/property-list.tsx';
import { Empty, Loaded, NotFound } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { EventsTab } from '../persons/events-tab.tsx';
import { GroupFlags } from './group-flags.tsx';
import { singularOf } from './group-names.ts';
import { RelatedTab } from './related-tab.tsx';

const TABS = [
  { id: 'properties', label: 'Properties' },
  { id: 'events', label: 'Events' },
  { id: 'related', label: 'Persons and groups' },
  { id: 'flags', label: 'Feature flags' },
] as const;
type TabId = (typeof TABS)[number]['id'];

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const index = Number(params['type']);
  const key = params['group'] ?? '';
  const types = useResource((signal) => listGroupTypes(id, signal), [id]);
  const group = useResource((signal) => getGroup(id, index, key, signal), [id, index, key]);
  const type = types.data?.find((one) => one.group_type_index === index);
  const name = group.data?.group_properties['name'];
  const all = `${pathTo('groups', { project: id })}?kind=${index}`;
  return (
    <PageFrame title={typeof name === 'string' && name !== '' ? name : key} lead={<Link to={all}>All groups</Link>}>
      <Loaded resource={group} notFound={<NotFound name="Group" all={<Link to={all}>All groups</Link>} />}>
        {(data) => (
          <>
            <Summary group={data} type={type} />
            <GroupTabs key={data.group_key} group={data} types={types.data ?? []} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

function Summary({ group, type }: { group: Group; type: GroupType | undefined }) {
  return (
    <section class="card person-head" aria-label="Summary">
      <Fact name="Type">{type ? singularOf(type) : '…'}</Fact>
      <Fact name="Key">
        <code class="truncate">{group.group_key}</code>
      </Fact>
      <Fact name="Properties">{formatNumber(Object.keys(group.group_properties).length)}</Fact>
      <Fact name="First seen">
        <Time at={group.created_at} />
      </Fact>
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <span class="name">{name}</span>
    <span>{children}</span>
  </div>
);

function GroupTabs({ group, types }: { group: Group; types: readonly GroupType[] }) {
  const { group_type_index: index, group_key: key, group_properties: properties } = group;
  const [tab, setTab] = useQueryState('tab', 'properties');
  const shown: TabId = TABS.find(({ id }) => id === tab)?.id ?? 'properties';
  const isOf = JSON.stringify([{ type: 'event', key: `$group_${index}`, operator: 'exact', value: [key] }]);
  const panels: Record<TabId, () => ComponentChildren> = {
    properties: () =>
      Object.keys(properties).length === 0 ? (
        <Empty title="No properties">Set them with posthog.group() in your app.</Empty>
      ) : (
        <div class="card">
          <PropertyList properties={properties} label="Group properties" />
        </div>
      ),
    events: () => (
      <EventsTab of={{ properties: isOf }} hint="No events belong to this group, or data retention has deleted them." />
    ),
    related: () => <RelatedTab group={group} types={types} />,
    flags: () => <GroupFlags group={group} types={types} />,
  };
  return (
    <Tabs label="Group" tabs={TABS} value={shown} onChange={setTab}>
      {panels[shown]()}
    </Tabs>
  );
}
