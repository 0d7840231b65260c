import type { PropertyReadCount } from '../events/property-demand.ts';

/**
 * What nodes tell each other. News may get lost with a connection, so nobody relies on it alone: it only makes everybody
 * look sooner than they would by themselves.
 */
export interface NodeMessage {
  /** Entries came through a node: the newest of each partition; and whose flags they may change. */
  came?: { from: string; heads: Readonly<Record<string, number>>; changed: readonly ChangedSubjects[] };
  /** A chunk was processed: pairs of partition and position. */
  processed?: { positions: readonly [number, number][] };
  /** Something waits for a webhook. */
  messages?: true;
  /** Events of these projects can be asked for, or persons have been moved; null: of any. */
  shipped?: readonly number[] | null;
  /** The definitions of a project, or the project itself, have changed. */
  redefined?: number;
  /** Somebody waits for what is in the log. */
  hurry?: true;
  /** There is something for whoever does the chores. */
  chores?: true;
  /** There is a block, an order or an errand for whoever ships events. */
  queued?: true;
  /** An errand has ended. */
  errand?: number;
  /** Somebody watches the events of these projects as they come. */
  watched?: { node: string; projects: readonly number[] };
  /** Questions have read these properties, each with the number of statements that did. */
  asked?: readonly PropertyReadCount[];
  /** A lease was given up. */
  leases?: true;
}

/**
 * Partition, project, and subjects as `subjectHash` has them, null where they are too many to be told; and the pairs of
 * these that become one person, where there are any.
 */
export type ChangedSubjects = readonly [
  partition: number,
  projectId: number,
  marks: readonly string[] | null,
  joined?: readonly (readonly [string, string])[],
];

export interface MessageChannel {
  send(news: NodeMessage): void;
  onMessage(hear: (news: NodeMessage) => void): void;
  /** The connection is there again: something may have been missed. */
  onReconnect(hear: () => void): void;
  close(): Promise<void>;
}
