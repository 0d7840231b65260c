import type { PropertyReadCount } from '../events/property-usage.ts';

/**
 * Messages between nodes. They can get lost with a connection, so they only speed up what nodes would find out by polling.
 * Nodes of different versions exchange them, and SQL functions of migration 11 send some: keep the keys.
 */
export interface NodeMessage {
  /** A node appended entries: the newest of each partition, and whose flags they may change. */
  came?: { from: string; heads: Readonly<Record<string, number>>; changed: readonly ChangedSubjects[] };
  /** A chunk was processed: pairs of partition and position. */
  processed?: { positions: readonly [number, number][] };
  /** The webhook outbox has messages. */
  messages?: true;
  /** Events of these projects were stored or reassigned; null: of any project. */
  shipped?: readonly number[] | null;
  /** A project or its definitions have changed. */
  redefined?: number;
  /** A request waits until the log is processed. */
  hurry?: true;
  /** The leader has work. */
  chores?: true;
  /** The owner of the event store has a block, a reassignment or a task. */
  queued?: true;
  /** An owner task has finished. */
  errand?: number;
  /** A client follows live events of these projects. */
  watched?: { node: string; projects: readonly number[] };
  /** Properties that queries have read. */
  asked?: readonly PropertyReadCount[];
  /** A lease was released. */
  leases?: true;
}

/**
 * Subjects (see `subjectHash`) that a request may change, or null for too many; and the pairs of them that become one
 * person.
 */
export type ChangedSubjects = readonly [
  partition: number,
  projectId: number,
  marks: readonly string[] | null,
  joined?: readonly (readonly [string, string])[],
];

export interface MessageChannel {
  send(message: NodeMessage): void;
  onMessage(listener: (message: NodeMessage) => void): void;
  /** Reconnected: messages may have been missed. */
  onReconnect(listener: () => void): void;
  close(): Promise<void>;
}
