/**
 * An event store that may be down when the process starts: it is opened at the first call, and again until that
 * succeeds. Capture and flags work without it.
 */
import { Failure } from '../../core/errors.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';

/** After a failure, calls get its error for this long before it is tried again. */
const RETRY_DELAY_MS = 1000;

export function lazyEventStore(open: () => Promise<BlockStore>): BlockStore {
  let opening: Promise<BlockStore> | null = null;
  let opened: BlockStore | null = null;
  const get = (): Promise<BlockStore> => {
    if (opening !== null) return opening;
    const own = open();
    opening = own;
    own.then(
      (store) => {
        opened = store;
      },
      () => {
        const timer = setTimeout(() => {
          opening = null;
        }, RETRY_DELAY_MS);
        timer.unref();
      },
    );
    return own;
  };
  const call = async (name: keyof BlockStore, args: unknown[]): Promise<unknown> => {
    const store = await get().catch((cause: unknown) => {
      throw new Failure('unavailable', 'The event store cannot be reached; try again in a moment.', {
        retryAfter: 5,
        cause,
      });
    });
    return (store[name] as (...args: unknown[]) => unknown)(...args);
  };
  const own: Partial<BlockStore> = {
    needsMaintenance: (now) => opened?.needsMaintenance(now) ?? false,
    takeReads: () => opened?.takeReads() ?? [],
    recordReads: (reads) => opened?.recordReads(reads),
    close: async () => opened?.close(),
  };
  return new Proxy(own as BlockStore, {
    get: (target, name) =>
      name === 'then'
        ? undefined
        : (target[name as keyof BlockStore] ?? ((...args: unknown[]) => call(name as keyof BlockStore, args))),
  });
}
