/**
 * Limits guessing of passwords, per account and per network.
 *
 * A limit per account also lets strangers lock out its owner with wrong passwords. So a browser that has signed in to
 * the account before has a device token with a limit of its own. The token gives no access by itself.
 */
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { networkOf } from '../../lib/network.ts';
import { isSameSecret, signature } from '../../lib/secrets.ts';
import { Throttle, throttled } from '../../lib/throttle.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface SignInGuardDeps {
  metadata: Pick<MetadataStore, 'installation' | 'transaction'>;
  clock: Clock;
  ids: Ids;
}

interface SignInAttempt {
  account: string;
  address: string;
  /** Of a browser that has signed in before. */
  deviceToken: string | undefined;
}

const MAX_ATTEMPTS = 5;
const WINDOW_MS = MINUTE_MS;
/** Higher than the limit per account, for offices behind one address. */
const MAX_ATTEMPTS_PER_NETWORK = 20;

const DEVICE_SECRET = 'device_secret';

export class SignInGuard {
  readonly #deps: SignInGuardDeps;
  readonly #byAccount: Throttle;
  readonly #byNetwork: Throttle;
  readonly #byDevice: Throttle;
  #cachedSecret: string | null = null;

  constructor(deps: SignInGuardDeps) {
    this.#deps = deps;
    this.#byAccount = new Throttle(deps.clock, MAX_ATTEMPTS, WINDOW_MS);
    this.#byNetwork = new Throttle(deps.clock, MAX_ATTEMPTS_PER_NETWORK, WINDOW_MS);
    this.#byDevice = new Throttle(deps.clock, MAX_ATTEMPTS, WINDOW_MS);
  }

  /** Records an attempt, or throws. Call it before the password is checked, so that parallel attempts are counted. */
  async recordAttempt({ account, address, deviceToken }: SignInAttempt): Promise<void> {
    const isKnown = await this.#isTokenOf(account, deviceToken);
    const limits: [Throttle, string][] = isKnown
      ? [[this.#byDevice, deviceToken as string]]
      : [
          [this.#byAccount, account],
          [this.#byNetwork, networkOf(address)],
        ];
    const wait = Math.max(...limits.map(([throttle, name]) => throttle.secondsUntilAllowed(name)));
    if (wait > 0) throw throttled(wait);
    for (const [throttle, name] of limits) throttle.record(name);
  }

  /** The password was correct. */
  recordSuccess({ account, deviceToken }: SignInAttempt): void {
    this.#byAccount.reset(account);
    if (deviceToken !== undefined) this.#byDevice.reset(deviceToken);
  }

  /** For a browser that has signed in, to send with its next sign-in. */
  async createDeviceToken(account: string): Promise<string> {
    const name = this.#deps.ids.uuid();
    return `${name}.${signature(await this.#deviceSecret(), `${account} ${name}`)}`;
  }

  async #isTokenOf(account: string, device: string | undefined): Promise<boolean> {
    const [name, signed, ...rest] = (device ?? '').slice(0, 200).split('.');
    if (!name || !signed || rest.length > 0) return false;
    return isSameSecret(signed, signature(await this.#deviceSecret(), `${account} ${name}`));
  }

  /** Created when first needed, and stored, so that device tokens survive a restart. */
  async #deviceSecret(): Promise<string> {
    this.#cachedSecret ??= await this.#deps.metadata.installation.get(DEVICE_SECRET);
    this.#cachedSecret ??= await this.#deps.metadata.transaction(async ({ installation }) => {
      const secret = (await installation.get(DEVICE_SECRET)) ?? this.#deps.ids.token('');
      await installation.set(DEVICE_SECRET, secret);
      return secret;
    });
    return this.#cachedSecret;
  }
}
