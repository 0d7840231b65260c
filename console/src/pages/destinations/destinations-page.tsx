/** Where events go from here: webhooks as they are stored, and files on schedule. */
import { ADMIN } from '../../api/organizations.ts';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject, useSession } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { ExportList } from '../batch-exports/export-list.tsx';
import { DestinationList } from './destination-list.tsx';

const TABS = [
  { id: 'webhooks', label: 'Webhooks' },
  { id: 'exports', label: 'Exports' },
] as const;
type TabName = (typeof TABS)[number]['id'];

export function Page() {
  const { id } = useProject();
  const { me } = useSession();
  const [tab, setTab] = useQueryState('tab', 'webhooks');
  const shown: TabName = TABS.find((one) => one.id === tab)?.id ?? 'webhooks';
  const isAdmin = (me.organization?.membership_level ?? 0) >= ADMIN;
  const add =
    shown === 'webhooks' ? (
      <Link class="button primary" to={pathTo('destination', { project: id, destination: 'new' }) ?? '/'}>
        New webhook
      </Link>
    ) : (
      <Link class="button primary" to={pathTo('batch-export', { project: id, export: 'new' }) ?? '/'}>
        New export
      </Link>
    );
  return (
    <PageFrame
      title="Destinations"
      lead={`Events to webhooks as they are stored, and to files on schedule.${isAdmin ? '' : ' Admins create and change them.'}`}
      actions={isAdmin ? add : null}
    >
      <Tabs<TabName> label="Webhooks and exports" tabs={TABS} value={shown} onChange={setTab}>
        {shown === 'webhooks' ? <DestinationList /> : <ExportList />}
      </Tabs>
    </PageFrame>
  );
}
