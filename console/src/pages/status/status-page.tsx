import './status.css';
import type { ComponentChildren } from 'preact';
import { getStatus, type Status } from '../../api/status.ts';
import { Facts } from '../../components/facts.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Banner, Loaded, Progress } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/dates.ts';
import { formatBytes, formatNumber } from '../../lib/numbers.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { problemOf } from '../../shell/status-banner.tsx';

const POLL_INTERVAL_MS = 3000;

export function Page() {
  const status = useResource(getStatus, []);
  useInterval(status.reload, POLL_INTERVAL_MS);
  return (
    <PageFrame
      title="Server status"
      lead="Every accepted event is stored, dropped, a duplicate or a dead letter. Updates every few seconds."
    >
      <Loaded resource={status}>{(data) => <Report status={data} />}</Loaded>
    </PageFrame>
  );
}

function Report({ status }: { status: Status }) {
  const { ingest, stores, disk, versions } = status;
  const problem = problemOf(status);
  const dropped = Object.values(ingest.dropped).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <div class="row">
        {problem === null ? <Badge tone="good">Healthy</Badge> : <Badge tone="bad">Needs attention</Badge>}
        <span class="muted">Uptime {formatDuration(status.uptime_seconds * 1000)}</span>
      </div>
      {status.losses.map(({ detail, found_at }) => (
        <Banner key={found_at} tone="bad">
          Data was lost: {detail}. Stop the server and restore a backup (<code>cairn restore FILE --replace</code>), or
          continue without it (<code>cairn recover --accept-loss</code>): lost events can then be sent again.
        </Banner>
      ))}
      <div class="figures">
        <Figure
          name="Ingestion lag"
          value={ingest.pending === 0 ? 'None' : formatDuration(ingest.lag_ms)}
          note="Age of the oldest pending event"
        />
        <Figure name="Pending" value={formatNumber(ingest.pending)} note="Accepted, not yet processed" />
        <Figure name="Accepted" value={formatNumber(ingest.accepted)} note="Since the installation" />
        <Figure name="Stored" value={formatNumber(ingest.stored)} note="Available in insights" />
        <Figure name="Duplicates" value={formatNumber(ingest.duplicate)} note="Ignored" />
        <Figure name="Dropped" value={formatNumber(dropped)} note={reasonsIn(ingest.dropped)} />
        {ingest.lost > 0 && <Figure name="Lost" value={formatNumber(ingest.lost)} note="Gone with a damaged store" />}
        <Figure name="Dead letters" value={formatNumber(ingest.dead_lettered)} note="Failed; can be replayed" />
      </div>
      <div class="reports">
        <section class="card stack-s" aria-label="Stores">
          <h2>Stores</h2>
          <Facts
            facts={Object.entries(stores).map(([name, state]) => [
              name === 'metadata' ? 'Metadata store' : 'Event store',
              state === 'ok' ? <Badge tone="good">OK</Badge> : <Badge tone="bad">{state}</Badge>,
            ])}
          />
          <Columns columns={status.promoted_columns} />
        </section>
        <section class="card stack-s" aria-label="Disk">
          <h2>Disk</h2>
          <Progress
            label={`${formatBytes(disk.free_bytes)} free of ${formatBytes(disk.total_bytes)}`}
            value={disk.total_bytes - disk.free_bytes}
            max={disk.total_bytes}
          />
          <Facts
            facts={[
              ['Used by Cairn', formatBytes(disk.data_bytes)],
              ['Events', formatBytes(disk.by_store.events)],
              ['Persons, flags and other metadata', formatBytes(disk.by_store.metadata)],
              ['Ingest log', formatBytes(disk.by_store.log)],
            ]}
          />
        </section>
        <section class="card stack-s" aria-label="Versions and backups">
          <h2>Versions and backups</h2>
          <Facts
            facts={[
              ['Cairn', status.version],
              ['Node.js', versions.node],
              ['DuckDB', versions.events],
              ['Last backup', status.last_backup_at === null ? 'None' : <Time at={status.last_backup_at} />],
            ]}
          />
        </section>
      </div>
    </>
  );
}

/** Properties used in queries get their own column, in the background. */
const Columns = ({ columns: { ready, filling } }: { columns: Status['promoted_columns'] }) => (
  <>
    <Facts facts={[['Materialized properties', formatNumber(ready)]]} />
    {filling.map((share, index) => (
      <Progress key={index} label="Materializing a property" value={share} />
    ))}
  </>
);

const reasonsIn = (dropped: Status['ingest']['dropped']): string =>
  Object.entries(dropped)
    .map(([reason, count]) => `${reason.replaceAll('_', ' ')}: ${formatNumber(count)}`)
    .join(', ') || 'Invalid or not supported';

const Figure = ({ name, value, note }: { name: string; value: string; note: ComponentChildren }) => (
  <div class="figure">
    <span class="name">{name}</span>
    <span class="value">{value}</span>
    <span class="muted small">{note}</span>
  </div>
);
