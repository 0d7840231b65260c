/** Starts the second thread when it is needed, and ends it when it has not been for a while. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SequenceMethods } from '../features/insights/sequence-methods.ts';
import type { WebThreadMethods } from '../features/web-analytics/thread-methods.ts';
import { type Remote, remote } from '../lib/rpc.ts';
import { builtFile } from './built-file.ts';

/** It takes a tenth of a second to start, and some megabytes while it runs. */
const END_AFTER_MS = 30_000;

interface Running {
  worker: Worker;
  remote: Remote<SecondMethods>;
}

type SecondMethods = SequenceMethods & WebThreadMethods;

export class SequenceThread {
  readonly #file: URL;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(file = builtFile('sequence-worker.js')) {
    this.#file = file;
  }

  /** Undefined with a single processor, where a second thread would save nothing. */
  methods(): SecondMethods | undefined {
    if (availableParallelism() < 2) return undefined;
    clearTimeout(this.#idle);
    // Longer than a query takes: what it has begun until then is counted by the caller.
    this.#idle = setTimeout(() => void this.close(), END_AFTER_MS).unref();
    this.#running ??= this.#start();
    return this.#running.remote.methods;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = null;
    await running?.worker.terminate();
  }

  #start(): Running {
    const worker = new Worker(this.#file);
    worker.unref();
    const running = { worker, remote: remote<SecondMethods>(worker) };
    const end = (error: Error): void => {
      running.remote.disconnect(error);
      if (this.#running === running) this.#running = null;
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error('The second thread has ended.')));
    return running;
  }
}
