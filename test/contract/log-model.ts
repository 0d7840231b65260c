import fc from 'fast-check';
import type { LogState } from '../../src/stores/ingest/ingest-log.ts';

/** The ingest log as a plain list: the measure that the real ones are held against. */
export interface LogModel {
  head: number;
  accepted: number;
  entries: readonly ({ seq: number } & ModelEntry)[];
}

interface ModelEntry {
  receivedAt: number;
  events: number;
  payload: Buffer;
}

type LogAction = { kind: 'append'; entries: ModelEntry[] } | { kind: 'trim'; seq: number } | { kind: 'reopen' };

export const emptyModel = (): LogModel => ({ head: 0, accepted: 0, entries: [] });

export function applyToModel(model: LogModel, action: LogAction): LogModel {
  switch (action.kind) {
    case 'append': {
      const added = action.entries.map((entry, i) => ({ ...entry, seq: model.head + i + 1 }));
      const accepted = model.accepted + added.reduce((sum, entry) => sum + entry.events, 0);
      return { head: model.head + added.length, accepted, entries: [...model.entries, ...added] };
    }
    case 'trim':
      return { ...model, entries: model.entries.filter(({ seq }) => seq > action.seq) };
    case 'reopen':
      return model;
  }
}

export const modelState = ({ head, accepted, entries }: LogModel): LogState => ({
  head,
  accepted,
  entries: entries.length,
  events: entries.reduce((sum, entry) => sum + entry.events, 0),
  bytes: entries.reduce((sum, entry) => sum + entry.payload.length, 0),
  oldestReceivedAt: entries[0]?.receivedAt ?? null,
});

const entry = fc.record({
  receivedAt: fc.integer({ min: 1, max: 2_000_000_000_000 }),
  events: fc.integer({ min: 1, max: 500 }),
  payload: fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes)),
});

export const logActions: fc.Arbitrary<LogAction[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('append' as const), entries: fc.array(entry, { maxLength: 6 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('trim' as const), seq: fc.integer({ min: 0, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  ),
  { maxLength: 20 },
);
