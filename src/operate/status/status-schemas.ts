import { Type } from '@sinclair/typebox';
import { DateTime, nullable } from '../../http/schemas/common.ts';

/** `ok`, or what the store said instead. */
const Answer = Type.String();

/** What `/_status` shows. */
export const StatusSchema = Type.Object({
  version: Type.String(),
  versions: Type.Object({ node: Type.String(), events: Type.String({ description: 'Of the engine of events.' }) }),
  uptime_seconds: Type.Integer(),
  stores: Type.Object({ metadata: Answer, events: Answer }),
  ingest: Type.Object({
    accepted: Type.Integer(),
    stored: Type.Integer(),
    duplicate: Type.Integer(),
    dropped: Type.Record(Type.String(), Type.Integer()),
    dead_lettered: Type.Integer(),
    pending: Type.Integer(),
    lag_ms: Type.Number(),
  }),
  disk: Type.Object({
    data_bytes: Type.Integer({ description: 'What the folder of data takes.' }),
    free_bytes: Type.Integer(),
    total_bytes: Type.Integer(),
  }),
  last_backup_at: nullable(DateTime),
  promoted_columns: Type.Object(
    {
      ready: Type.Integer(),
      filling: Type.Array(Type.Number(), { description: 'How far each of the others is, from 0 to 1.' }),
    },
    { description: 'Properties with a column of their own, because questions ask for them.' },
  ),
  cluster: nullable(
    Type.Object(
      {
        node: Type.String({ description: 'The one that answers.' }),
        role: Type.String(),
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            role: Type.String(),
            host: Type.String(),
            version: Type.String(),
            started_at: DateTime,
            silent_ms: Type.Number({ description: 'How long ago it was heard of.' }),
          }),
        ),
        partitions: Type.Array(
          Type.Object({
            partition: Type.Integer(),
            worker: nullable(Type.String({ description: 'The node that processes it.' })),
            waiting: Type.Integer({ description: 'Events in the log.' }),
          }),
        ),
        keeper: nullable(Type.String({ description: 'The node that ships events and does the chores.' })),
        blocks_waiting: Type.Integer({ description: 'Blocks of events on their way to the event store.' }),
      },
      { description: 'The other nodes; null on one machine.' },
    ),
  ),
});
