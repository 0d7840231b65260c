/** How the server does: what an operator looks at first when a number seems wrong. */
import { getStatus, type Status } from '../../api/status.ts';
import './status.css';
import type { ComponentChildren } from 'preact';
import { Facts } from '../../components/facts.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Loaded, Progress } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatBytes, formatDuration, formatNumber } from '../../lib/format.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { problemOf } from '../../shell/status-banner.tsx';

const EVERY_MS = 3000;

export function Page() {
  const status = useResource(getStatus, []);
  useInterval(status.reload, EVERY_MS);
  return (
    <PageFrame
      title="Server status"
      lead="Every accepted event ends as stored, duplicate, dropped or set aside; the numbers add up. Read again every few seconds."
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
        {problem === null ? <Badge tone="good">All is well</Badge> : <Badge tone="bad">Needs attention</Badge>}
        <span class="soft">Running for {formatDuration(status.uptime_seconds * 1000)}</span>
      </div>
      <div class="figures">
        <Figure
          name="Lag"
          value={ingest.pending === 0 ? 'none' : formatDuration(ingest.lag_ms)}
          note="age of the oldest event that waits"
        />
        <Figure name="Pending" value={formatNumber(ingest.pending)} note="accepted, not yet processed" />
        <Figure name="Accepted" value={formatNumber(ingest.accepted)} note="on disk since the beginning" />
        <Figure name="Stored" value={formatNumber(ingest.stored)} note="visible to queries" />
        <Figure name="Duplicates" value={formatNumber(ingest.duplicate)} note="came again, passed over" />
        <Figure name="Dropped" value={formatNumber(dropped)} note={reasonsIn(ingest.dropped)} />
        <Figure name="Set aside" value={formatNumber(ingest.dead_lettered)} note="failed; can be processed again" />
      </div>
      <div class="reports">
        <section class="card stack-s" aria-label="Stores">
          <h2>Stores</h2>
          <Facts
            facts={Object.entries(stores).map(([name, answer]) => [
              name === 'metadata' ? 'Persons, flags, settings' : 'Events',
              answer === 'ok' ? <Badge tone="good">answers</Badge> : <Badge tone="bad">{answer}</Badge>,
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
          <Facts facts={[['Data of Cairn', formatBytes(disk.data_bytes)]]} />
        </section>
        <section class="card stack-s" aria-label="Versions and backup">
          <h2>Versions</h2>
          <Facts
            facts={[
              ['Cairn', status.version],
              ['Node.js', versions.node],
              ['DuckDB', versions.events],
              [
                'Last backup',
                status.last_backup_at === null ? 'none that Cairn knows of' : <Time at={status.last_backup_at} />,
              ],
            ]}
          />
        </section>
      </div>
    </>
  );
}

/** Properties that questions ask for get a column of their own, in the background. */
const Columns = ({ columns: { ready, filling } }: { columns: Status['promoted_columns'] }) => (
  <>
    <Facts facts={[['Properties with a column of their own', formatNumber(ready)]]} />
    {filling.map((share, index) => (
      <Progress key={index} label="One more is being filled" value={share} />
    ))}
  </>
);

const reasonsIn = (dropped: Status['ingest']['dropped']): string =>
  Object.entries(dropped)
    .map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${formatNumber(count)}`)
    .join(', ') || 'by rule, with a reason';

const Figure = ({ name, value, note }: { name: string; value: string; note: ComponentChildren }) => (
  <div class="figure">
    <span class="name">{name}</span>
    <span class="value">{value}</span>
    <span class="soft small">{note}</span>
  </div>
);
