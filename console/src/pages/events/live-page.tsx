import './live-page.css';
import { PageFrame } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { EventDetails } from './event-details.tsx';
import { EventExplorer } from './event-explorer.tsx';
import { IngestionIssues } from './ingestion-issues.tsx';

const TABS = [
  { id: 'stored', label: 'Events' },
  { id: 'not-stored', label: 'Ingestion issues' },
] as const;

export function Page() {
  const [tab, setTab] = useQueryState('tab', 'stored');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  return (
    <PageFrame
      title="Live events"
      lead="New events appear on top as they are ingested. Click an event to see its properties and ingestion status."
    >
      <Tabs label="Events" tabs={TABS} value={tab === 'not-stored' ? tab : 'stored'} onChange={setTab}>
        {tab === 'not-stored' ? <IngestionIssues onOpen={setOpen} /> : <EventExplorer openId={open} onOpen={setOpen} />}
      </Tabs>
      {open !== '' && <EventDetails key={open} uuid={open} onClose={() => setOpen('')} />}
    </PageFrame>
  );
}
