/**
 * Losses: a store is behind what another one says was stored, because of a damaged disk, a file of another time, or a
 * mistake. They are found by comparing the stores at start, and stay known until an operator accepts them.
 */
import type { InstallationStore } from './metadata-store.ts';

/** Which store has lost something. */
type LossStore = 'events' | 'log' | 'metadata';

export interface EventLoss {
  store: LossStore;
  /** How many events; null where nobody knows. */
  events: number | null;
  /** When they were received, ms UTC; null where nobody knows. */
  receivedFrom: number | null;
  receivedTo: number | null;
  /** Positions in the log, or numbers of shipments: the loss is after the first, up to the second. */
  after: number;
  upTo: number;
  foundAt: number;
  /** Null until an operator accepted it. */
  acceptedAt: number | null;
}

/** The key in the installation store. */
const LOSSES = 'event_losses';

export async function readLosses(installation: Pick<InstallationStore, 'get'>): Promise<EventLoss[]> {
  return JSON.parse((await installation.get(LOSSES)) ?? '[]') as EventLoss[];
}

export const writeLosses = (
  installation: Pick<InstallationStore, 'set'>,
  losses: readonly EventLoss[],
): Promise<void> => installation.set(LOSSES, JSON.stringify(losses));

export const readOpenLosses = async (installation: Pick<InstallationStore, 'get'>): Promise<EventLoss[]> =>
  (await readLosses(installation)).filter(({ acceptedAt }) => acceptedAt === null);

/** A start that was interrupted finds the same loss again. */
const isSame = (a: EventLoss, b: EventLoss): boolean => a.store === b.store && a.after === b.after && a.upTo === b.upTo;

/** Inside a transaction. */
export async function addLoss(installation: InstallationStore, loss: EventLoss): Promise<void> {
  const known = await readLosses(installation);
  if (!known.some((one) => one.acceptedAt === null && isSame(one, loss)))
    await writeLosses(installation, [...known, loss]);
}

const LOST: Record<LossStore, { what: string; where: string }> = {
  events: { what: 'stored events', where: 'are missing in the event store' },
  log: { what: 'accepted events', where: 'were in the ingest log and are gone' },
  metadata: { what: 'events', where: 'are stored, but the persons and definitions they created are missing' },
};

/** One sentence, without a full stop. */
export function describeLoss({ store, events, receivedFrom, receivedTo }: EventLoss): string {
  const { what, where } = LOST[store];
  const number = events === null ? `an unknown number of ${what}` : `${events} ${what}`;
  return `${number}${describeTimes(receivedFrom, receivedTo)} ${where}`;
}

function describeTimes(from: number | null, to: number | null): string {
  const text = (ms: number): string => new Date(ms).toISOString();
  if (from !== null && to !== null) return `, received between ${text(from)} and ${text(to)},`;
  if (from !== null) return `, received after ${text(from)},`;
  return to === null ? '' : `, received before ${text(to)},`;
}
