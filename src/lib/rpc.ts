/**
 * Calls between the main thread and the worker thread. One side serves an object of async methods, the other holds a
 * proxy of the same type. Beside calls there are notices: said once, answered by nobody.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { Failure, type FailureKind } from '../core/errors.ts';

export type Port = Pick<MessagePort, 'postMessage' | 'on'> | Pick<Worker, 'postMessage' | 'on'>;

/** An object whose methods can be called from the other thread. */
export type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => Promise<unknown> ? T[K] : never };

interface SentError {
  message: string;
  stack: string | undefined;
  failure?: { kind: FailureKind; code?: string; attr?: string; retryAfter?: number };
}

type Message =
  | { type: 'call'; id: number; method: string; args: unknown[] }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'error'; id: number; error: SentError }
  | { type: 'notice'; name: string; value: unknown };

/** Answers the other thread's calls with the methods of `target`. */
export function serve<T extends object>(port: Port, target: T): void {
  port.on('message', (message: Message) => {
    if (message.type !== 'call') return;
    const { id, method, args } = message;
    const run = async (): Promise<unknown> => (target[method as keyof T] as (...args: unknown[]) => unknown)(...args);
    run().then(
      (value) => port.postMessage({ type: 'result', id, value } satisfies Message),
      (error: unknown) => port.postMessage({ type: 'error', id, error: toSent(error) } satisfies Message),
    );
  });
}

export interface Remote<T> {
  methods: T;
  /** Rejects every call under way and all that follow: the other side is gone. */
  hangUp(reason: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A proxy for what the other thread serves. */
export function remote<T extends object>(port: Port): Remote<T> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: Error | null = null;
  port.on('message', (message: Message) => {
    if (message.type !== 'result' && message.type !== 'error') return;
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'result') call?.resolve(message.value);
    else call?.reject(fromSent(message.error));
  });
  const call = (method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      port.postMessage({ type: 'call', id, method, args } satisfies Message);
    });
  const methods = new Proxy({} as T, {
    // A proxy must not look like a promise, or awaiting it would call `then` on the other side.
    get: (_target, method) => (method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args)),
  });
  return {
    methods,
    hangUp(reason) {
      gone = reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

export function notify(port: Port, name: string, value: unknown): void {
  port.postMessage({ type: 'notice', name, value } satisfies Message);
}

export function onNotice(port: Port, name: string, hear: (value: never) => void): void {
  port.on('message', (message: Message) => {
    if (message.type === 'notice' && message.name === name) hear(message.value as never);
  });
}

function toSent(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof Failure)) return { message, stack };
  const { kind, code, attr, retryAfter } = error;
  const failure = Object.fromEntries(
    Object.entries({ kind, code, attr, retryAfter }).filter(([, v]) => v !== undefined),
  );
  return { message, stack, failure: failure as NonNullable<SentError['failure']> };
}

function fromSent({ message, stack, failure }: SentError): Error {
  const error = failure ? new Failure(failure.kind, message, failure) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
