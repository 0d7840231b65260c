/** Counts of ingestion for `/_status` and `/metrics`. accepted = the sum of all fates and what is pending. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.ts';
import { type IngestStore, LABEL } from '../../stores/ingest/ingest-store.ts';
import type { Ingestion } from '../accept/ingestion.ts';
import { LOST } from '../recover/count-loss.ts';

export interface IngestCounts {
  accepted: number;
  stored: number;
  duplicate: number;
  dropped: Record<string, number>;
  deadLettered: number;
  /** Gone, because a store was damaged. */
  lost: number;
  pending: number;
  /** Of the stored ones: events of bots, and of visits from a project's own addresses. */
  labelled: { bots: number; own: number };
  lagMs: number;
}

const DROPPED = 'dropped:';

/**
 * `fates`: how many events met which fate, as the processor counts them. The other accepted events are pending: if one
 * were ever lost, `pending` would never be 0 again.
 */
export function ingestCounts(
  fates: Readonly<Record<string, number>>,
  { accepted, lagMs }: Pick<IngestCounts, 'accepted' | 'lagMs'>,
): IngestCounts {
  const settled = Object.entries(fates).reduce((sum, [name, count]) => sum + (name.startsWith(LABEL) ? 0 : count), 0);
  const dropped = Object.entries(fates).filter(([fate]) => fate.startsWith(DROPPED));
  return {
    accepted,
    stored: fates['stored'] ?? 0,
    duplicate: fates['duplicate'] ?? 0,
    dropped: Object.fromEntries(dropped.map(([fate, count]) => [fate.slice(DROPPED.length), count])),
    deadLettered: fates['dead_lettered'] ?? 0,
    lost: fates[LOST] ?? 0,
    pending: accepted - settled,
    labelled: { bots: fates[`${LABEL}bot`] ?? 0, own: fates[`${LABEL}own`] ?? 0 },
    lagMs,
  };
}

export async function readIngestCounts(
  ingest: Pick<IngestStore, 'getCounts'>,
  ingestion: Pick<Ingestion, 'accepted' | 'lag'>,
  clock: Clock,
): Promise<IngestCounts> {
  const fates = await ingest.getCounts();
  // Read after the fates, so that the difference is never negative.
  const { accepted } = ingestion;
  return ingestCounts(fates, { accepted, lagMs: ingestion.lag(clock.now()) });
}

/** The counts are read from the store when Prometheus asks. */
export function reportIngestCounts(registry: Registry, read: () => Promise<IngestCounts>): void {
  // All metrics are collected at the same time; one read serves them all.
  let reading: Promise<IngestCounts> | null = null;
  const counts = (): Promise<IngestCounts> => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  const registers = [registry];
  const total = (name: string, help: string, pick: (counts: IngestCounts) => number): void => {
    new Counter({
      name: `cairn_ingest_${name}_total`,
      help,
      registers,
      async collect() {
        const count = pick(await counts());
        this.reset();
        this.inc(count);
      },
    });
  };
  const gauge = (name: string, help: string, pick: (counts: IngestCounts) => number): void => {
    new Gauge({
      name: `cairn_ingest_${name}`,
      help,
      registers,
      async collect() {
        this.set(pick(await counts()));
      },
    });
  };
  total('accepted', 'Events acknowledged, and replays of dead letters', ({ accepted }) => accepted);
  total('stored', 'Events stored', ({ stored }) => stored);
  total('duplicate', 'Events that were stored before and skipped', ({ duplicate }) => duplicate);
  total(
    'dead_lettered',
    'Times an event became a dead letter because its processing failed',
    (all) => all.deadLettered,
  );
  total('lost', 'Events that are gone because a store was damaged', ({ lost }) => lost);
  total('bots', 'Stored events of bots', ({ labelled }) => labelled.bots);
  total('own_visits', "Stored events of visits from a project's own addresses", ({ labelled }) => labelled.own);
  gauge('pending', 'Accepted events that are not processed yet', ({ pending }) => pending);
  gauge('lag_seconds', 'Age of the oldest pending event', ({ lagMs }) => lagMs / 1000);
  reportDropped(registry, counts);
}

function reportDropped(registry: Registry, counts: () => Promise<IngestCounts>): void {
  new Counter({
    name: 'cairn_ingest_dropped_total',
    help: 'Events that were not stored, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
    async collect() {
      const { dropped } = await counts();
      this.reset();
      for (const [reason, count] of Object.entries(dropped)) this.inc({ reason }, count);
    },
  });
}
