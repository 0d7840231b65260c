/**
 * What opens a stream for OpenFeature's providers: browsers cannot send a key with such a request, so the address has a
 * token. It names the project and the version that the provider has seen; it is signed, good for a day, and for nothing
 * but hearing that something has changed.
 */
import { DAY_MS, HOUR_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';

interface ChannelTokenDeps {
  clock: Clock;
  secret: { sign(text: string): Promise<string>; isSignatureOf(text: string, signed: string): Promise<boolean> };
}

interface StreamChannel {
  projectId: number;
  version: number;
  expiresAt: number;
}

const MAX_TOKEN_LENGTH = 300;

export class ChannelTokens {
  readonly #deps: ChannelTokenDeps;
  /** The last token of each project: the same for an hour, unless the version changes. */
  readonly #last = new Map<number, { body: string; token: string }>();

  constructor(deps: ChannelTokenDeps) {
    this.#deps = deps;
  }

  async create(projectId: number, version: number): Promise<string> {
    const hours = Math.ceil((this.#deps.clock.now() + DAY_MS) / HOUR_MS);
    const body = `${projectId}.${version}.${hours}`;
    const last = this.#last.get(projectId);
    if (last?.body === body) return last.token;
    const token = `${body}.${await this.#deps.secret.sign(signedText(body))}`;
    this.#last.set(projectId, { body, token });
    return token;
  }

  /** Null if it is none of ours. Its time may be over. */
  async open(token: string): Promise<StreamChannel | null> {
    const [, body = '', projectId, version, hours, signature = ''] =
      (token.length <= MAX_TOKEN_LENGTH ? TOKEN.exec(token) : null) ?? [];
    if (body === '' || !(await this.#deps.secret.isSignatureOf(signedText(body), signature))) return null;
    return { projectId: Number(projectId), version: Number(version), expiresAt: Number(hours) * HOUR_MS };
  }
}

const TOKEN = /^((\d{1,15})\.(\d{1,15})\.(\d{1,9}))\.([\w-]+)$/;

const signedText = (body: string): string => `flag stream ${body}`;
