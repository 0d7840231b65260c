/**
 * What a browser keeps for some minutes between two steps of signing in: signed, so that nobody can make one up, and
 * bound to its purpose, so that none of them is good for another step.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { SigningSecret } from './signing-secret.ts';

interface SignedCookieDeps {
  metadata: Pick<MetadataStore, 'installation'>;
  clock: Clock;
  ids: Ids;
}

type Opened<T> = { kind: 'valid'; value: T; expiresAt: number } | { kind: 'expired' } | { kind: 'invalid' };

export class SignedCookies {
  readonly #clock: Clock;
  readonly #secret: SigningSecret;

  constructor(deps: SignedCookieDeps) {
    this.#clock = deps.clock;
    this.#secret = new SigningSecret(deps, 'cookie_secret');
  }

  async seal(purpose: string, value: unknown, lifetimeMs: number): Promise<string> {
    const content = { value, expiresAt: this.#clock.now() + lifetimeMs };
    const body = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${body}.${await this.#secret.sign(`${purpose} ${body}`)}`;
  }

  async open<T>(purpose: string, cookie: string | undefined): Promise<Opened<T>> {
    const [body = '', signed = '', ...rest] = (cookie ?? '').slice(0, 4096).split('.');
    const isOurs = rest.length === 0 && (await this.#secret.isSignatureOf(`${purpose} ${body}`, signed));
    if (!isOurs) return { kind: 'invalid' };
    const { value, expiresAt } = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
      value: T;
      expiresAt: number;
    };
    return expiresAt > this.#clock.now() ? { kind: 'valid', value, expiresAt } : { kind: 'expired' };
  }
}
