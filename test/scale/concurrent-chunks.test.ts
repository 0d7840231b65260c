/** Chunks of several logs at once, on connections of their own, over the same persons. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stripeOf } from '../../src/core/persons/id-stripe.ts';
import { bootstrap } from '../../src/features/accounts/bootstrap.ts';
import { serializeRequestContext } from '../../src/ingest/accept/request-context.ts';
import { DefinitionLimits } from '../../src/ingest/process/definition-limits.ts';
import { DefinitionRecorder } from '../../src/ingest/process/definition-recorder.ts';
import { processChunk } from '../../src/ingest/process/process-chunk.ts';
import { eventStoreSink } from '../../src/ingest/process/sink.ts';
import { StepTimes } from '../../src/ingest/process/step-times.ts';
import { randomIds } from '../../src/lib/ids.ts';
import type { EventStore } from '../../src/stores/events/event-store.ts';
import type { LogEntry } from '../../src/stores/ingest/ingest-log.ts';
import { isRetryable } from '../../src/stores/postgres/errors.ts';
import { postgresIngestStore } from '../../src/stores/postgres/ingest-store.ts';
import { openPostgresDatabase } from '../../src/stores/postgres/metadata-store.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../support/postgres.ts';

describeWithPostgres(() => {
  const LOGS = 4;
  const NOW = Date.UTC(2026, 0, 15);
  const CONTEXT = serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false });
  const clock = { now: () => NOW };

  let setup: PostgresSetup;
  let projectId: number;
  beforeEach(async () => {
    setup = await openPostgresSetup();
    const keys = { projectKey: null, personalKey: null, admin: null };
    projectId = (await bootstrap({ metadata: setup.metadata, clock, ids: randomIds }, keys))?.projectId ?? 0;
  });
  afterEach(() => setup.remove());

  /** These tests do not read events; they only count as stored in the database. */
  const noEvents = { reassign: async () => [], write: async () => undefined } as unknown as EventStore;

  interface Raw {
    event: string;
    distinct_id: string;
    uuid?: string;
    properties: Record<string, unknown>;
  }

  const entryOf = (raw: Raw, seq: number): LogEntry => ({
    seq,
    projectId,
    receivedAt: NOW,
    events: 1,
    context: CONTEXT,
    seed: randomIds.seed(),
    payload: Buffer.from(JSON.stringify(raw)),
  });

  /** Cuts events into logs, and processes the logs at once, each in chunks of a few; how often a chunk was tried again. */
  async function processAll(raws: readonly Raw[], chunkSize: number): Promise<number> {
    const logs: Raw[][] = Array.from({ length: LOGS }, () => []);
    for (const raw of raws) logs[stripeOf(projectId, raw.distinct_id) % LOGS]?.push(raw);
    let retries = 0;
    const workOff = async (own: readonly Raw[], n: number): Promise<void> => {
      const db = openPostgresDatabase(setup.database.url, { size: 1 });
      const onRetry = (error: unknown): void => {
        expect(isRetryable(error)).toBe(true);
        retries++;
      };
      const ingest = postgresIngestStore(db, { log: `log ${n}`, onRetry });
      const definitions = new DefinitionRecorder(randomIds);
      const limits = new DefinitionLimits({ eventNames: 1000, propertyNames: 1000 });
      for (let at = 0; at < own.length; at += chunkSize) {
        const entries = own.slice(at, at + chunkSize).map((raw, i) => entryOf(raw, at + i + 1));
        await processChunk(
          { ingest, sink: eventStoreSink(noEvents), definitions, limits, stepTimes: new StepTimes() },
          entries,
          {
            now: NOW,
          },
        );
      }
      expect(await ingest.position()).toBe(own.length);
      await db.destroy();
    };
    await Promise.all(logs.map(workOff));
    return retries;
  }

  /** Ids that were linked, directly or by others, as sets. */
  function components(links: readonly (readonly [string, string])[]): (id: string) => string {
    const parents = new Map<string, string>();
    const rootOf = (id: string): string => {
      const parent = parents.get(id) ?? id;
      return parent === id ? id : rootOf(parent);
    };
    for (const [a, b] of links) parents.set(rootOf(a), rootOf(b));
    return rootOf;
  }

  interface PersonIds {
    id: number;
    properties: Record<string, unknown>;
    ids: string[];
  }

  async function everybody(): Promise<PersonIds[]> {
    const { rows } = await sql<{ id: number; properties: string; ids: string[] | null }>`
    select p.id, p.properties, array_agg(d.distinct_id) filter (where d.id is not null) as ids
    from persons p left join person_distinct_ids d on d.person_id = p.id
    group by p.id order by p.id`.execute(setup.db);
    return rows.map(({ id, properties, ids }) => ({ id, properties: JSON.parse(properties), ids: ids ?? [] }));
  }

  const idName = (n: number): string => `id-${n}`;
  const someEvents = fc.array(
    fc.record({ a: fc.nat(23), b: fc.nat(23), kind: fc.constantFrom('merge', 'merge', 'set', 'plain') }),
    { minLength: 60, maxLength: 160 },
  );

  describe('chunks side by side', () => {
    it('make one person of whatever ids were linked, lose nothing, and count right', async () => {
      let [stored, retries] = [0, 0];
      await fc.assert(
        fc.asyncProperty(someEvents, fc.integer({ min: 1, max: 12 }), async (steps, chunkSize) => {
          const prefix = `${stored} `;
          const raws = steps.map(({ a, b, kind }, n): Raw => {
            const $set = { [`k${n}`]: n };
            const by = { distinct_id: prefix + idName(a) };
            if (kind === 'merge')
              return { event: '$merge_dangerously', ...by, properties: { alias: prefix + idName(b), $set } };
            return { event: kind, ...by, properties: kind === 'set' ? { $set } : {} };
          });
          retries += await processAll(raws, chunkSize);
          stored += raws.length;

          const persons = (await everybody()).filter(({ ids }) => ids.length === 0 || ids[0]?.startsWith(prefix));
          const rootOf = components(
            raws.flatMap(({ event, distinct_id, properties }) =>
              event === '$merge_dangerously' ? [[distinct_id, String(properties['alias'])] as const] : [],
            ),
          );
          const expected = new Map<string, Set<string>>();
          for (const { distinct_id: id, properties } of raws) {
            for (const one of [id, properties['alias'] ?? id] as string[]) {
              expected.set(rootOf(one), (expected.get(rootOf(one)) ?? new Set()).add(one));
            }
          }
          const sorted = (sets: Iterable<Iterable<string>>): string[] =>
            [...sets].map((set) => [...set].sort().join(' | ')).sort();
          expect(sorted(persons.map(({ ids }) => ids))).toEqual(sorted(expected.values()));
          const ownerOf = new Map(persons.flatMap((person) => person.ids.map((id) => [id, person] as const)));
          for (const { distinct_id: id, properties } of raws) {
            if (properties['$set']) expect(ownerOf.get(id)?.properties).toMatchObject(properties['$set']);
          }
          expect(await setup.ingest.getCounts()).toEqual({ stored });
        }),
        { numRuns: 6 },
      );
      // Locks are taken in one order, so it hardly ever comes to that.
      expect(retries).toBeLessThan(stored / 10);
    });

    it('store an event once that comes through several logs at the same time', async () => {
      const uuids = Array.from({ length: 40 }, () => randomIds.uuid());
      const raws = Array.from({ length: 12 }, (_, n) => uuids.map((uuid) => ({ uuid, n })))
        .flat()
        .map(({ uuid, n }): Raw => ({ event: 'e', uuid, distinct_id: idName(n), properties: {} }));
      await processAll(raws, 25);
      expect(await setup.ingest.getCounts()).toEqual({ stored: uuids.length, duplicate: raws.length - uuids.length });
      const seen = await Promise.all(uuids.map((uuid) => setup.metadata.fates.getSeen(projectId, uuid)));
      expect(seen.reduce((sum, fate) => sum + 1 + (fate?.repeats ?? 0), 0)).toBe(raws.length);
    });

    it('keep every property of a group that all of them describe, and number kinds of groups once', async () => {
      const raws = Array.from({ length: 120 }, (_, n): Raw => {
        const $group_type = `kind ${n % 5}`;
        const properties = { $group_type, $group_key: `group ${n % 3}`, $group_set: { [`k${n}`]: n } };
        return { event: '$groupidentify', distinct_id: idName(n), properties };
      });
      await processAll(raws, 7);
      const types = await setup.metadata.groups.listTypes(projectId);
      expect(types.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
      for (const { properties } of raws) {
        const index = types.find(({ name }) => name === properties['$group_type'])?.index ?? -1;
        const group = await setup.metadata.groups.get(projectId, index, String(properties['$group_key']));
        expect(group?.properties).toMatchObject(properties['$group_set'] as object);
      }
    });
  });
});
