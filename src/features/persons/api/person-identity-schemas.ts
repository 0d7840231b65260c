/** Schemas for splitting, un-merging and deleting persons. */
import { Type } from '@sinclair/typebox';
import type { Person } from '../../../core/persons/person.ts';
import { DateTime, iso, isoOrNull, nullable, Uuid } from '../../../http/schemas/common.ts';
import type { PersonDeletion } from '../../../stores/metadata/deletions.ts';
import type { PersonWithIds } from '../identity/split-person.ts';
import type { ListedMerge, UndoneMerge } from '../identity/undo-merge.ts';
import { PersonSchema, presentPerson } from './person-schemas.ts';

const Properties = Type.Record(Type.String(), Type.Unknown());

const presentWithIds = ({ person, distinctIds }: PersonWithIds) => presentPerson(person, distinctIds);

export const SplitBody = Type.Object({
  main_distinct_id: Type.Optional(nullable(Type.String({ keepSpaces: true }))),
});

export const presentSplit = (split: PersonWithIds) => ({ ...presentWithIds(split), success: true });

const SnapshotSchema = Type.Object({ uuid: Uuid, properties: Properties, created_at: DateTime });

const presentSnapshot = ({ uuid, properties, createdAt }: Person) => ({
  uuid,
  properties,
  created_at: iso(createdAt),
});

export const MergeSchema = Type.Object({
  id: Type.Integer(),
  kind: Type.Union(['identify', 'alias', 'merge_dangerously'].map((kind) => Type.Literal(kind))),
  source: SnapshotSchema,
  target: SnapshotSchema,
  merged_at: DateTime,
  event_uuid: Uuid,
  moved_distinct_ids: Type.Array(Type.String()),
  undone_at: nullable(DateTime),
  can_be_undone: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Why it cannot be undone.' })),
});

export const presentMerge = (merge: ListedMerge) => ({
  id: merge.id,
  kind: merge.kind,
  source: presentSnapshot(merge.source),
  target: presentSnapshot(merge.target),
  merged_at: iso(merge.at),
  event_uuid: merge.eventUuid,
  moved_distinct_ids: merge.movedIds,
  undone_at: isoOrNull(merge.undoneAt),
  can_be_undone: merge.obstacle === null,
  reason: merge.obstacle,
});

export const UndoneMergeSchema = Type.Object({
  success: Type.Literal(true),
  source: PersonSchema,
  target: PersonSchema,
});

export const presentUndoneMerge = ({ source, target }: UndoneMerge) => ({
  success: true,
  source: presentWithIds(source),
  target: presentWithIds(target),
});

const Count = Type.Integer();

export const DeletionSchema = Type.Object({
  id: Uuid,
  person_uuid: Uuid,
  state: Type.Union(
    ['removing_events', 'erasing', 'complete'].map((state) => Type.Literal(state)),
    {
      description: '`erasing`: the data is gone from all results, and files are being rewritten.',
    },
  ),
  requested_at: DateTime,
  completed_at: nullable(DateTime),
  removed: Type.Object({
    persons: Count,
    distinct_ids: Count,
    property_history: Count,
    merges: Count,
    dead_letters: Count,
    ingestion_warnings: Count,
    activity_entries_blanked: Count,
    groups: Count,
    event_definitions: Count,
    property_definitions: Count,
    events: nullable(Count),
  }),
  exported_in: nullable(
    Type.Array(
      Type.Object({
        batch_export: Uuid,
        name: Type.String(),
        run: Uuid,
        data_interval_start: DateTime,
        data_interval_end: DateTime,
        manifest: nullable(Type.String()),
      }),
      {
        description:
          'Runs of exports whose files have the person: they have left, so whoever keeps them has to remove it there. ' +
          'Null for deletions from before exports were recorded.',
      },
    ),
  ),
  scan: nullable(
    Type.Object({
      rows: Count,
      files: Count,
      bytes: Count,
      mentioned_in: nullable(
        Type.Array(Type.String(), {
          description:
            'Files that contain an id of the person, because others mention it or it came back since. ' +
            'Null after a restart of the server, because the ids are only kept in memory.',
        }),
      ),
    }),
  ),
});

const stateOf = ({ eventsRemoved, completedAt }: PersonDeletion): string => {
  if (completedAt !== null) return 'complete';
  return eventsRemoved === null ? 'removing_events' : 'erasing';
};

export const presentDeletion = (deletion: PersonDeletion) => {
  const { removed, scan } = deletion;
  return {
    id: deletion.id,
    person_uuid: deletion.personUuid,
    state: stateOf(deletion),
    requested_at: iso(deletion.requestedAt),
    completed_at: isoOrNull(deletion.completedAt),
    removed: {
      persons: removed['persons'] ?? 0,
      distinct_ids: removed['distinctIds'] ?? 0,
      property_history: removed['propertyHistory'] ?? 0,
      merges: removed['merges'] ?? 0,
      dead_letters: removed['deadLetters'] ?? 0,
      ingestion_warnings: removed['ingestionWarnings'] ?? 0,
      activity_entries_blanked: removed['activityEntriesBlanked'] ?? 0,
      groups: removed['groups'] ?? 0,
      event_definitions: removed['eventDefinitions'] ?? 0,
      property_definitions: removed['propertyDefinitions'] ?? 0,
      events: deletion.eventsRemoved,
    },
    exported_in:
      deletion.exportedIn?.map(({ batchExport, name, run, startAt, endAt, manifest }) => ({
        batch_export: batchExport,
        name,
        run,
        data_interval_start: iso(startAt),
        data_interval_end: iso(endAt),
        manifest,
      })) ?? null,
    scan: scan && { rows: scan.rows, files: scan.files, bytes: scan.bytes, mentioned_in: scan.mentionedIn },
  };
};
