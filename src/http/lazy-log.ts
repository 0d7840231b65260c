import type { FastifyBaseLogger } from 'fastify';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
type Child = Parameters<FastifyBaseLogger['child']>;

/** The logger of one request, created when something is logged: for most requests nothing is. */
class LazyLog {
  readonly #parent: FastifyBaseLogger;
  readonly #child: Child;
  #log: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, child: Child) {
    this.#parent = parent;
    this.#child = child;
  }

  get level(): string {
    return this.#parent.level;
  }

  get logger(): FastifyBaseLogger {
    this.#log ??= this.#parent.child(...this.#child);
    return this.#log;
  }

  child(...child: Child): FastifyBaseLogger {
    return this.logger.child(...child);
  }
}

const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

for (const level of LEVELS) {
  Object.defineProperty(LazyLog.prototype, level, {
    value(this: LazyLog, ...args: Parameters<FastifyBaseLogger['info']>) {
      this.logger[level](...args);
    },
  });
}

export const lazyLog = (parent: FastifyBaseLogger, ...child: Child): FastifyBaseLogger =>
  new LazyLog(parent, child) as unknown as FastifyBaseLogger;
