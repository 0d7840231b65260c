/** What is happening now: events as they are stored, and those that were not. */
import './live-page.css';
import { PageFrame } from '../../components/page.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { EventDetails } from './event-details.tsx';
import { NotStored } from './ingestion-issues.tsx';
import { StreamTable } from './live-table.tsx';

const TABS = [
  { id: 'stored', label: 'Stored' },
  { id: 'not-stored', label: 'Not stored' },
] as const;

export function Page() {
  const [tab, setTab] = useQueryState('tab', 'stored');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  return (
    <PageFrame
      title="Live events"
      lead="Events appear here the moment they are stored. Open one to see all of it and what became of it."
    >
      <Tabs label="Fate" tabs={TABS} value={tab === 'not-stored' ? tab : 'stored'} onChange={setTab}>
        {tab === 'not-stored' ? <NotStored onOpen={setOpen} /> : <StreamTable openId={open} onOpen={setOpen} />}
      </Tabs>
      {open !== '' && <EventDetails key={open} uuid={open} onClose={() => setOpen('')} />}
    </PageFrame>
  );
}
