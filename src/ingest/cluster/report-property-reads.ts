/**
 * Every node runs queries, but only the owner of the event store creates columns for the properties that they read. So the
 * other nodes report now and then what was read. A lost message is only a count too few.
 */
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { MessageChannel, NodeMessage } from '../../stores/cluster/node-messages.ts';

interface PropertyReadReporterDeps {
  events: Pick<BlockStore, 'takeReads' | 'recordReads'>;
  messages: Pick<MessageChannel, 'send'>;
  owner: { readonly isOwner: boolean };
}

const REPORT_INTERVAL_MS = 10_000;
/** A message has room for 8,000 bytes; a name has up to 200 characters, each up to six bytes in JSON. */
const BATCH_SIZE = 5;

export class PropertyReadReporter {
  readonly #deps: PropertyReadReporterDeps;
  readonly #timer: NodeJS.Timeout;

  constructor(deps: PropertyReadReporterDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.report(), REPORT_INTERVAL_MS);
    this.#timer.unref();
  }

  report(): void {
    const { events, messages, owner } = this.#deps;
    const reads = events.takeReads();
    // Its store has counted them already.
    if (owner.isOwner) return;
    for (let at = 0; at < reads.length; at += BATCH_SIZE) messages.send({ asked: reads.slice(at, at + BATCH_SIZE) });
  }

  onMessage({ asked }: NodeMessage): void {
    const { events, owner } = this.#deps;
    if (asked !== undefined && owner.isOwner) events.recordReads(asked);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
