/**
 * Questions are asked at every node, and columns for what they read are made at one, by the keeper of the event store. So
 * every other node tells now and then what was read there. A piece of news that gets lost is only a count too few.
 */
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { News, NewsChannel } from '../../stores/cluster/node-messages.ts';

export interface AskedPropertiesDeps {
  events: Pick<BlockStore, 'takeReads' | 'noteReads'>;
  news: Pick<NewsChannel, 'send'>;
  keeper: { readonly isKeeping: boolean };
}

const TELL_EVERY_MS = 10_000;
/** A piece of news has room for 8,000 bytes; a name is of 200 characters at the most, and JSON may write one in six. */
const AT_ONCE = 5;

export class AskedProperties {
  readonly #deps: AskedPropertiesDeps;
  readonly #telling: NodeJS.Timeout;

  constructor(deps: AskedPropertiesDeps) {
    this.#deps = deps;
    this.#telling = setInterval(() => this.tell(), TELL_EVERY_MS);
    this.#telling.unref();
  }

  tell(): void {
    const { events, news, keeper } = this.#deps;
    const reads = events.takeReads();
    // The store has counted them itself.
    if (keeper.isKeeping) return;
    for (let at = 0; at < reads.length; at += AT_ONCE) news.send({ asked: reads.slice(at, at + AT_ONCE) });
  }

  hear({ asked }: News): void {
    const { events, keeper } = this.#deps;
    if (asked !== undefined && keeper.isKeeping) events.noteReads(asked);
  }

  stop(): void {
    clearInterval(this.#telling);
  }
}
