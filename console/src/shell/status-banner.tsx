/** Shown on every page when the server has a problem. */
import { getStatus, type Status } from '../api/status.ts';
import { Link } from '../components/link.tsx';
import { Banner } from '../components/states.tsx';
import { formatDuration } from '../lib/dates.ts';
import { pluralize } from '../lib/numbers.ts';
import { pathTo } from '../lib/route-table.ts';
import { useInterval, useResource } from '../lib/use-resource.ts';

const POLL_INTERVAL_MS = 10_000;
/** Processing takes milliseconds; a longer lag means that ingestion is stuck or overloaded. */
const STALLED_MS = 30_000;

export function problemOf({ stores, ingest, losses }: Status): string | null {
  const failing = Object.entries(stores).find(([, state]) => state !== 'ok');
  if (failing) return `The ${failing[0]} store is not responding: ${failing[1]}.`;
  const [loss] = losses;
  if (loss) return `Data was lost: ${loss.detail}. Restore a backup, or accept the loss with "cairn recover".`;
  if (ingest.pending === 0 || ingest.lag_ms < STALLED_MS) return null;
  const pending = pluralize(ingest.pending, 'pending event');
  return `Ingestion is delayed: ${pending}, the oldest from ${formatDuration(ingest.lag_ms)} ago. They are saved on disk, but not in any chart yet.`;
}

export function StatusBanner() {
  const status = useResource(getStatus, []);
  useInterval(status.reload, POLL_INTERVAL_MS);
  if (status.error !== undefined) {
    return <Banner tone="bad">Cannot reach the server. What you see may be out of date. Retrying…</Banner>;
  }
  const problem = status.data ? problemOf(status.data) : null;
  if (problem === null) return null;
  return (
    <Banner tone="bad" action={<Link to={pathTo('status') ?? '/'}>View status</Link>}>
      {problem}
    </Banner>
  );
}
