/**
 * A request as one entry for each partition of the log that its events belong to, by project and distinct id. Most
 * requests are about one person and stay as they came.
 */
import { cookielessBaseOf } from '../../core/cookieless/cookieless-visitor.ts';
import { changedSubjects, mergedSubjects } from '../../core/events/changed-subjects.ts';
import { distinctIdOf } from '../../core/events/distinct-id.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import { parseJsonBytes } from '../../core/json/parse-json.ts';
import { hashText, stripeOf } from '../../core/persons/id-stripe.ts';
import { eachBatch } from '../../lib/in-batches.ts';
import type { ChangedSubjects } from '../../stores/cluster/node-messages.ts';
import type { NewPartitionEntry } from '../../stores/cluster/partitioned-log.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import { serializeEvents } from '../accept/serialize-events.ts';

const NONE: JsonObject = {};

/** All events without a distinct id go to the same partition; those of a visitor without cookies stay together. */
export function partitionFor(projectId: number, raw: JsonObject, partitions: number): number {
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : NONE;
  return stripeOf(projectId, cookielessBaseOf(raw) ?? distinctIdOf(raw, properties) ?? '') % partitions;
}

interface PartitionedRequest {
  entry: NewPartitionEntry;
  events: readonly JsonObject[];
}

/** About a millisecond. */
const BATCH_SIZE = 1000;

/** `newSeed`: uuids of events that came without one are derived from the seed, so each entry needs its own. */
export async function splitByPartition(
  entry: NewLogEntry,
  events: readonly JsonObject[] | undefined,
  partitions: number,
  newSeed: () => Buffer,
): Promise<PartitionedRequest[]> {
  const all = events ?? extractEvents(parseJsonBytes(entry.payload)).events;
  const byPartition = new Map<number, JsonObject[]>();
  await eachBatch(all, BATCH_SIZE, (batch) => {
    for (const raw of batch) {
      const partition = partitionFor(entry.projectId, raw, partitions);
      const own = byPartition.get(partition);
      if (own) own.push(raw);
      else byPartition.set(partition, [raw]);
    }
  });
  if (byPartition.size === 1) {
    const [partition = 0] = byPartition.keys();
    return [{ entry: { ...entry, partition }, events: all }];
  }
  const parts: PartitionedRequest[] = [];
  for (const [partition, own] of byPartition) {
    const seed = parts.length === 0 ? entry.seed : newSeed();
    const payload = await serializeEvents(own);
    parts.push({ entry: { ...entry, partition, events: own.length, seed, payload }, events: own });
  }
  return parts;
}

/** A short form of a subject, the same on every node. Two with the same hash only wait for each other. */
export const subjectHash = (subject: string): string => hashText(subject).toString(36);

/** Whose flags each entry may change. `subjects`: of the whole request; where it was split, they are determined again. */
export function subjectChanges(parts: readonly PartitionedRequest[], subjects: readonly string[]): ChangedSubjects[] {
  if (subjects.length === 0) return [];
  return parts.flatMap(({ entry, events }): ChangedSubjects[] => {
    // A request that was split is a list, and events of a list need a name, also at /engage/.
    const own = parts.length === 1 ? subjects : changedSubjects(events, false);
    if (own.length === 0) return [];
    const linked =
      own.length < 2 ? [] : mergedSubjects(events).map(([a, b]) => [subjectHash(a), subjectHash(b)] as const);
    const change = [entry.partition, entry.projectId, own.map(subjectHash)] as const;
    return [linked.length === 0 ? change : [...change, linked]];
  });
}
