import { Type } from '@sinclair/typebox';
import { DateTime, nullable } from '../../http/schemas/common.ts';

/** `ok`, or the error. */
const Answer = Type.String();

/** What `/_status` returns. */
export const StatusSchema = Type.Object({
  version: Type.String(),
  versions: Type.Object({
    node: Type.String(),
    events: Type.String({ description: 'The version of the event store.' }),
  }),
  uptime_seconds: Type.Integer(),
  stores: Type.Object({ metadata: Answer, events: Answer }),
  ingest: Type.Object({
    accepted: Type.Integer(),
    stored: Type.Integer(),
    duplicate: Type.Integer(),
    dropped: Type.Record(Type.String(), Type.Integer()),
    dead_lettered: Type.Integer(),
    lost: Type.Integer({ description: 'Gone, because a store was damaged.' }),
    pending: Type.Integer(),
    labelled: Type.Object(
      { bots: Type.Integer(), own: Type.Integer() },
      { description: "Of the stored events: those of bots, and of visits from a project's own addresses." },
    ),
    lag_ms: Type.Number(),
    waiting_for: nullable(
      Type.Object(
        { since: DateTime, reason: Type.String() },
        {
          description: 'Why accepted events cannot be processed at the moment; they are tried again.',
        },
      ),
    ),
  }),
  disk: Type.Object({
    data_bytes: Type.Integer({ description: 'Size of the data folder.' }),
    by_store: Type.Object(
      { events: Type.Integer(), metadata: Type.Integer(), log: Type.Integer(), other: Type.Integer() },
      { description: 'What of it belongs to which store, in bytes.' },
    ),
    free_bytes: Type.Integer(),
    total_bytes: Type.Integer(),
  }),
  losses: Type.Array(
    Type.Object({
      store: Type.Union([Type.Literal('events'), Type.Literal('log'), Type.Literal('metadata')]),
      events: nullable(Type.Integer({ description: 'How many; null if it is not known.' })),
      received_from: nullable(DateTime),
      received_to: nullable(DateTime),
      found_at: DateTime,
      detail: Type.String({ description: 'The same as a sentence.' }),
    }),
    { description: 'What stores have lost, until it is accepted with `cairn recover --accept-loss`.' },
  ),
  last_backup_at: nullable(DateTime),
  promoted_columns: Type.Object(
    {
      ready: Type.Integer(),
      filling: Type.Array(Type.Number(), { description: 'Progress of each of the others, from 0 to 1.' }),
    },
    { description: 'Properties that have their own column, because queries use them often.' },
  ),
  cluster: nullable(
    Type.Object(
      {
        node: Type.String({ description: 'The node that answers.' }),
        role: Type.String(),
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            role: Type.String(),
            host: Type.String(),
            version: Type.String(),
            started_at: DateTime,
            silent_ms: Type.Number({ description: 'Time since it was last seen.' }),
          }),
        ),
        partitions: Type.Array(
          Type.Object({
            partition: Type.Integer(),
            worker: nullable(Type.String({ description: 'The node that processes it.' })),
            waiting: Type.Integer({ description: 'Events in the log that are not processed.' }),
          }),
        ),
        keeper: nullable(Type.String({ description: 'The node that owns the event store and runs the leader tasks.' })),
        blocks_waiting: Type.Integer({ description: 'Blocks of events not yet in the event store.' }),
      },
      { description: 'The other nodes; null on one machine.' },
    ),
  ),
});
