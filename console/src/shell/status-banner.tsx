/** Says, on every page, when something is wrong with the server itself. */
import { getStatus, type Status } from '../api/status.ts';
import { Link } from '../components/link.tsx';
import { Banner } from '../components/states.tsx';
import { countOf, formatDuration } from '../lib/format.ts';
import { pathTo } from '../lib/route-table.ts';
import { useInterval, useResource } from '../lib/use-resource.ts';

const EVERY_MS = 10_000;
/** Processing takes milliseconds; what waits longer than this is stuck or overwhelmed. */
const STANDS_STILL_MS = 30_000;

export function problemOf({ stores, ingest }: Status): string | null {
  const ill = Object.entries(stores).find(([, answer]) => answer !== 'ok');
  if (ill) return `The store of ${ill[0]} does not answer: ${ill[1]}.`;
  if (ingest.pending === 0 || ingest.lag_ms < STANDS_STILL_MS) return null;
  const waiting = `${countOf(ingest.pending, 'event waits', 'events wait')}, the oldest for ${formatDuration(ingest.lag_ms)}`;
  return `Ingestion stands still: ${waiting}. They are safe on disk, but not in any chart yet.`;
}

export function StatusBanner() {
  const status = useResource(getStatus, []);
  useInterval(status.reload, EVERY_MS);
  if (status.error !== undefined) {
    return <Banner tone="bad">The server does not answer. What you see may be out of date; trying again…</Banner>;
  }
  const problem = status.data ? problemOf(status.data) : null;
  if (problem === null) return null;
  return (
    <Banner tone="bad" action={<Link to={pathTo('status') ?? '/'}>Look at the status</Link>}>
      {problem}
    </Banner>
  );
}
