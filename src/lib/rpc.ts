/**
 * Calls between the main thread and the worker thread. One side serves an object of async methods, the other has a proxy
 * of the same type. Beside calls there are notices, which have no answer.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { Failure, type FailureKind } from '../core/errors.ts';

type Port = Pick<MessagePort, 'postMessage' | 'on'> | Pick<Worker, 'postMessage' | 'on'>;

interface SerializedError {
  message: string;
  stack: string | undefined;
  /** Of the operating system or an engine: `ENOSPC`, `SQLITE_FULL`. */
  code?: string;
  failure?: { kind: FailureKind; code?: string; attr?: string; retryAfter?: number };
}

type Message =
  | { type: 'call'; id: number; method: string; args: unknown[]; isAbortable: boolean }
  | { type: 'abort'; id: number }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'error'; id: number; error: SerializedError }
  | { type: 'notice'; name: string; value: unknown };

/** What an argument or a result leaves to the other thread. */
const left = new WeakMap<object, ArrayBuffer[]>();

/** Leaves these columns of an argument or a result to the other thread, without a copy: they are empty here then. */
export function leave<T extends object>(value: T, columns: readonly ArrayBufferView[]): T {
  left.set(value, [...new Set(columns.map(({ buffer }) => buffer as ArrayBuffer))]);
  return value;
}

const leftBy = (...values: unknown[]): ArrayBuffer[] =>
  values.flatMap((value) => (typeof value === 'object' && value !== null ? (left.get(value) ?? []) : []));

/** Serves the methods of `target` to the other thread. */
export function serve<T extends object>(port: Port, target: T): void {
  const aborts = new Map<number, AbortController>();
  port.on('message', (message: Message) => {
    if (message.type === 'abort') aborts.get(message.id)?.abort();
    if (message.type !== 'call') return;
    const { id, method, args, isAbortable } = message;
    if (isAbortable) {
      const abort = new AbortController();
      aborts.set(id, abort);
      args.push(abort.signal);
    }
    const run = async (): Promise<unknown> => (target[method as keyof T] as (...args: unknown[]) => unknown)(...args);
    run()
      .finally(() => aborts.delete(id))
      .then(
        (value) => port.postMessage({ type: 'result', id, value } satisfies Message, leftBy(value)),
        (error: unknown) => port.postMessage({ type: 'error', id, error: serializeError(error) } satisfies Message),
      );
  });
}

export interface Remote<T> {
  methods: T;
  /** The other side has ended: rejects all pending calls and all that follow. */
  disconnect(reason: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * A proxy for what the other thread serves. A method whose last argument is an `AbortSignal` gets one on the other side
 * too; aborting it rejects the call at once with its reason.
 */
export function remote<T extends object>(port: Port): Remote<T> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | null = null;
  port.on('message', (message: Message) => {
    if (message.type !== 'result' && message.type !== 'error') return;
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'result') call?.resolve(message.value);
    else call?.reject(deserializeError(message.error));
  });
  const call = (method: string, allArgs: unknown[]): Promise<unknown> => {
    const last = allArgs.at(-1);
    const signal = last instanceof AbortSignal ? last : null;
    const args = signal === null ? allArgs : allArgs.slice(0, -1);
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      if (signal?.aborted) return reject(signal.reason);
      const id = ++lastId;
      const abort = (): void => {
        waiting.delete(id);
        port.postMessage({ type: 'abort', id } satisfies Message);
        reject(signal?.reason);
      };
      const done = (): void => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      waiting.set(id, {
        resolve: (value) => {
          done();
          resolve(value);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      const message: Message = { type: 'call', id, method, args, isAbortable: signal !== null };
      port.postMessage(message, leftBy(...args));
    });
  };
  const methods = new Proxy({} as T, {
    // A proxy must not look like a promise, or awaiting it would call `then` on the other side.
    get: (_target, method) => (method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args)),
  });
  return {
    methods,
    disconnect(reason) {
      ended = reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

export function notify(port: Port, name: string, value: unknown): void {
  port.postMessage({ type: 'notice', name, value } satisfies Message);
}

export function onNotice(port: Port, name: string, listener: (value: never) => void): void {
  port.on('message', (message: Message) => {
    if (message.type === 'notice' && message.name === name) listener(message.value as never);
  });
}

export function serializeError(error: unknown): SerializedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof Failure)) {
    const { code } = (error ?? {}) as { code?: unknown };
    return { message, stack, ...(typeof code === 'string' && { code }) };
  }
  const { kind, code, attr, retryAfter } = error;
  const failure = Object.fromEntries(
    Object.entries({ kind, code, attr, retryAfter }).filter(([, v]) => v !== undefined),
  );
  return { message, stack, failure: failure as NonNullable<SerializedError['failure']> };
}

export function deserializeError({ message, stack, code, failure }: SerializedError): Error {
  const error = failure
    ? new Failure(failure.kind, message, failure)
    : Object.assign(new Error(message), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
