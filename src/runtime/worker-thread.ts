/**
 * The main thread's side of the worker thread: starts it, restarts it when it crashes, and passes on its notices. Until
 * the first one is ready, calls wait; until a new one is, they fail with 'unavailable'. Events wait in the log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Failure } from '../core/errors.ts';
import type { ProcessedNotice, ProcessingOutage } from '../ingest/accept/processed-notice.ts';
import type { LiveEvent } from '../ingest/live/live-event-publisher.ts';
import type { Logger } from '../lib/log.ts';
import { notify, onNotice, type Remote, remote } from '../lib/rpc.ts';

interface WorkerEvents {
  /** The thread has opened its stores and recovered from a crash; it starts to process when it is woken. */
  onReady(position: number): void;
  onProcessed(chunk: ProcessedNotice): void;
  onIdle(position: number): void;
  /** On one machine. In a cluster every worker processes other partitions. */
  onOutage?(outage: ProcessingOutage): void;
  onLiveEvents(events: LiveEvent[]): void;
  /** A message for a webhook is waiting. */
  onWebhookMessages(): void;
  /** In a cluster: this process has become the leader, or no longer is. */
  onLeaderChange?(isLeader: boolean): void;
}

/** Large enough for all objects of a chunk, so that none is moved to the old generation: 10 % less CPU, measured. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 192 };

const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;

const workerUnavailable = (): Failure =>
  new Failure('unavailable', 'The event store is being opened again; try again in a moment.', { retryAfter: 2 });

export class WorkerThread<M extends { close(): Promise<void> }> {
  readonly #file: URL;
  readonly #options: object;
  readonly #events: WorkerEvents;
  readonly #log: Logger;
  #worker: Worker | null = null;
  #remote: Remote<M> | null = null;
  /** The methods of the first thread until it is ready. */
  #pending: M | null = null;
  #closing = false;

  constructor(file: URL, options: object, events: WorkerEvents, log: Logger) {
    this.#file = file;
    this.#options = options;
    this.#events = events;
    this.#log = log;
  }

  /** The thread's methods. Do not keep them: a restart replaces them. */
  get methods(): M {
    const methods = this.#remote?.methods ?? this.#pending;
    if (methods === null) throw workerUnavailable();
    return methods;
  }

  /** Without an answer; lost while there is no thread. */
  notify(notice: 'wake' | 'process-now' | 'crash'): void {
    if (this.#worker) notify(this.#worker, notice, null);
  }

  /** The first thread. Resolves when it is ready, rejects when it cannot start. */
  async start(): Promise<void> {
    const ready = this.#startThread();
    this.#pending = callsAfter(ready, () => this.#remote?.methods ?? null);
    try {
      await ready;
    } finally {
      this.#pending = null;
    }
  }

  #startThread(): Promise<void> {
    const worker = new Worker(this.#file, { workerData: this.#options, resourceLimits: RESOURCE_LIMITS });
    const link = remote<M>(worker);
    onNotice(worker, 'processed', this.#events.onProcessed);
    onNotice(worker, 'idle', this.#events.onIdle);
    onNotice(worker, 'outage', (outage: ProcessingOutage) => this.#events.onOutage?.(outage));
    onNotice(worker, 'live-events', this.#events.onLiveEvents);
    onNotice(worker, 'webhook-messages', this.#events.onWebhookMessages);
    onNotice(worker, 'leader-change', (isLeader: boolean) => this.#events.onLeaderChange?.(isLeader));
    return new Promise((resolve, reject) => {
      let ready = false;
      onNotice(worker, 'ready', (position: number) => {
        ready = true;
        this.#worker = worker;
        this.#remote = link;
        this.#events.onReady(position);
        resolve();
      });
      let fault: unknown;
      worker.on('error', (error) => {
        fault = error;
      });
      worker.on('exit', (code) => {
        link.disconnect(workerUnavailable());
        if (!ready)
          return reject(fault ?? new Error(`The worker thread ended before it was ready (exit code ${code}).`));
        if (this.#worker === worker) {
          this.#worker = null;
          this.#remote = null;
        }
        this.#events.onLeaderChange?.(false);
        if (!this.#closing) void this.#restart(fault);
      });
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (!worker || !this.#remote) return;
    await this.#remote.methods.close();
    await worker.terminate();
  }

  async #restart(fault: unknown): Promise<void> {
    this.#log.error({ err: fault }, 'the worker thread crashed; restarting it');
    for (let pauseMs = MIN_RESTART_DELAY_MS; !this.#closing; pauseMs = Math.min(pauseMs * 2, MAX_RESTART_DELAY_MS)) {
      try {
        await this.#startThread();
        this.#log.info('the worker thread is running again');
        return;
      } catch (error) {
        this.#log.error({ err: error, pauseMs }, 'the worker thread could not be started');
        await sleep(pauseMs);
      }
    }
  }
}

/** Methods that can be called before those of the thread are there. */
const callsAfter = <M extends object>(ready: Promise<void>, methods: () => M | null): M =>
  new Proxy({} as M, {
    get: (_target, method) => {
      // Not a promise, or awaiting it would call `then`.
      if (method === 'then') return undefined;
      return async (...args: unknown[]): Promise<unknown> => {
        await ready;
        const all = methods();
        if (all === null) throw workerUnavailable();
        return (all[method as keyof M] as (...given: unknown[]) => unknown)(...args);
      };
    },
  });
