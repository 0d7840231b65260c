/**
 * A request as entries of the log's partitions: one for each that its events belong to, by project and distinct id. Most
 * requests are about one person and stay as they came.
 */

import { changedSubjects, mergedSubjects } from '../../core/events/changed-subjects.ts';
import { distinctIdOf } from '../../core/events/distinct-id.ts';
import { extractEvents } from '../../core/events/extract-events.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { hashText, stripeOf } from '../../core/persons/id-stripe.ts';
import { eachBatch } from '../../lib/in-turns.ts';
import type { ChangedSubjects } from '../../stores/cluster/node-messages.ts';
import type { NewPartitionEntry } from '../../stores/cluster/partitioned-log.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import { serializeEvents } from '../accept/serialize-events.ts';

const NONE: JsonObject = {};

/** Events without an id belong together: whatever becomes of them, it is the same for all. */
export function partitionFor(projectId: number, raw: JsonObject, partitions: number): number {
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : NONE;
  return stripeOf(projectId, distinctIdOf(raw, properties) ?? '') % partitions;
}

interface PartitionedRequest {
  entry: NewPartitionEntry;
  events: readonly JsonObject[];
}

/** About a millisecond. */
const BATCH_SIZE = 1000;

/** `newSeed`: ids of events that came without one are derived from it, so each entry has its own. */
export async function splitByPartition(
  entry: NewLogEntry,
  events: readonly JsonObject[] | undefined,
  partitions: number,
  newSeed: () => Buffer,
): Promise<PartitionedRequest[]> {
  const all = events ?? extractEvents(parseJson(entry.payload.toString('utf8'))).events;
  const byPartition = new Map<number, JsonObject[]>();
  await eachBatch(all, BATCH_SIZE, (some) => {
    for (const raw of some) {
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
  const cuts: PartitionedRequest[] = [];
  for (const [partition, own] of byPartition) {
    const seed = cuts.length === 0 ? entry.seed : newSeed();
    const payload = await serializeEvents(own);
    cuts.push({ entry: { ...entry, partition, events: own.length, seed, payload }, events: own });
  }
  return cuts;
}

/** A subject in a few letters, the same on every node. Two that share one only wait for each other. */
export const subjectHash = (subject: string): string => hashText(subject).toString(36);

/**
 * Whose flags each entry may change. `subjects`: those of the whole request; where it was cut, each entry's own are
 * found again.
 */
export function subjectChanges(cuts: readonly PartitionedRequest[], subjects: readonly string[]): ChangedSubjects[] {
  if (subjects.length === 0) return [];
  return cuts.flatMap(({ entry, events }): ChangedSubjects[] => {
    // A request that was cut is a list, and what is in a list needs a name of its own, also at /engage/.
    const own = cuts.length === 1 ? subjects : changedSubjects(events, false);
    if (own.length === 0) return [];
    const joined =
      own.length < 2 ? [] : mergedSubjects(events).map(([a, b]) => [subjectHash(a), subjectHash(b)] as const);
    const note = [entry.partition, entry.projectId, own.map(subjectHash)] as const;
    return [joined.length === 0 ? note : [...note, joined]];
  });
}
