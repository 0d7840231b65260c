/**
 * Questions are asked at every node, and columns for what they read are made at one, by the keeper of the event store. So
 * every other node tells now and then what was read there. A piece of news that gets lost is only a count too few.
 */
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { MessageChannel, NodeMessage } from '../../stores/cluster/node-messages.ts';

interface PropertyReadReporterDeps {
  events: Pick<BlockStore, 'takeReads' | 'recordReads'>;
  messages: Pick<MessageChannel, 'send'>;
  owner: { readonly isOwner: boolean };
}

const REPORT_INTERVAL_MS = 10_000;
/** A piece of news has room for 8,000 bytes; a name is of 200 characters at the most, and JSON may write one in six. */
const BATCH_SIZE = 5;

export class PropertyReadReporter {
  readonly #deps: PropertyReadReporterDeps;
  readonly #telling: NodeJS.Timeout;

  constructor(deps: PropertyReadReporterDeps) {
    this.#deps = deps;
    this.#telling = setInterval(() => this.report(), REPORT_INTERVAL_MS);
    this.#telling.unref();
  }

  report(): void {
    const { events, messages, owner } = this.#deps;
    const reads = events.takeReads();
    // The store has counted them itself.
    if (owner.isOwner) return;
    for (let at = 0; at < reads.length; at += BATCH_SIZE) messages.send({ asked: reads.slice(at, at + BATCH_SIZE) });
  }

  onMessage({ asked }: NodeMessage): void {
    const { events, owner } = this.#deps;
    if (asked !== undefined && owner.isOwner) events.recordReads(asked);
  }

  stop(): void {
    clearInterval(this.#telling);
  }
}
