/**
 * What an event costs if nothing is done but to parse it, write its properties as JSON again, and store it in the event
 * engine: no HTTP, no log, no persons, no deduplication, no definitions. The least that this design can reach.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hotProperties } from '../../src/core/events/hot-properties.ts';
import { personUuid } from '../../src/core/events/uuid.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { parseJsonBytes } from '../../src/core/json/parse-json.ts';
import { MAX_CHUNK_EVENTS } from '../../src/ingest/process/chunk-pacing.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { StoredEvent } from '../../src/stores/events/event-store.ts';
import { type MakeEvent, makeTemplates } from './templates.ts';

const PROJECT = 1;
const EVENTS_PER_BODY = 100;
const NO_GROUPS = [null, null, null, null, null];

interface Body {
  batch: { uuid: string; event: string; distinct_id: string; timestamp: string; properties: JsonObject }[];
}

/** Microseconds of CPU time of all threads per event, the checkpoint at the end included. */
export async function measureEngineAlone(event: MakeEvent, events: number, persons: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-engine-'));
  const store = await openEventStore(join(folder, 'events.duckdb'));
  const templates = makeTemplates({ key: 'none', event, eventsPerBody: EVENTS_PER_BODY, persons, seed: 2 });
  const ids = new Map<string, string>();
  const personOf = (distinctId: string): string => {
    const known = ids.get(distinctId) ?? personUuid(PROJECT, distinctId);
    ids.set(distinctId, known);
    return known;
  };
  let [micros, position, next] = [0, 0, 0];
  const measured = async (work: () => Promise<unknown>): Promise<void> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    micros += user + system;
  };
  const writeBodies = async (bodies: readonly Buffer[]): Promise<void> => {
    const rows = bodies.flatMap((body) => readRows(body, personOf));
    position += rows.length;
    await store.write({ events: rows, overrides: [], position });
    await store.maintain(Date.now());
  };
  try {
    while (position < events) {
      const bodies = Array.from({ length: MAX_CHUNK_EVENTS / EVENTS_PER_BODY }, () => {
        const template = templates[next++ % templates.length] as (typeof templates)[number];
        template.refresh(template.bytes);
        return Buffer.from(template.bytes);
      });
      await measured(() => writeBodies(bodies));
    }
    await measured(() => store.close());
    return micros / position;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readRows(body: Buffer, personOf: (distinctId: string) => string): StoredEvent[] {
  const { batch } = parseJsonBytes(body) as unknown as Body;
  return batch.map(({ uuid, event, distinct_id: distinctId, timestamp, properties }) => {
    const at = Date.parse(timestamp);
    return {
      projectId: PROJECT,
      uuid,
      event,
      distinctId,
      personId: personOf(distinctId),
      timestamp: at,
      createdAt: at,
      properties: JSON.stringify(properties),
      parsed: properties,
      hot: hotProperties(properties),
      elementsChain: '',
      groups: NO_GROUPS,
    };
  });
}
