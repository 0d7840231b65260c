/**
 * From where the request comes that is being handled, for the audit log. It is passed along by the runtime instead of as
 * an argument, because every change of anything would have to hand it through.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { shortenAddress } from '../lib/log.ts';
import type { AuditOrigin } from '../stores/metadata/audit.ts';
import type { Caller } from './callers.ts';

const origins = new AsyncLocalStorage<AuditOrigin>();

export const withOrigin = <T>(origin: AuditOrigin, work: () => T): T => origins.run(origin, work);

/** Null: nobody asked, such as for a task that runs by itself. */
export const currentOrigin = (): AuditOrigin | null => origins.getStore() ?? null;

/** A request on behalf of another one keeps the name of its client. */
export const originOf = ({ via, key, session }: Caller, address: string): AuditOrigin => ({
  via,
  address: shortenAddress(address),
  ...(key ? { key: { id: key.id, label: key.label } } : {}),
  ...(session ? { session: session.id } : {}),
  ...(origins.getStore()?.client === undefined ? {} : { client: origins.getStore()?.client }),
});
