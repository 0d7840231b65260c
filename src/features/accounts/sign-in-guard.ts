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
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { countAttempt, forgetAttempts, type Limit } from './attempts.ts';
import { SigningSecret } from './signing-secret.ts';

interface SignInGuardDeps {
  metadata: Pick<MetadataStore, 'installation' | 'throttles' | 'transaction'>;
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
  readonly #secret: SigningSecret;

  constructor(deps: SignInGuardDeps) {
    this.#deps = deps;
    this.#secret = new SigningSecret(deps, DEVICE_SECRET);
  }

  /** Records an attempt, or throws. Call it before the password is checked, so that parallel attempts are counted. */
  async recordAttempt({ account, address, deviceToken }: SignInAttempt): Promise<void> {
    const isKnown = await this.#isTokenOf(account, deviceToken);
    const limits = isKnown
      ? [limit(deviceName(deviceToken), MAX_ATTEMPTS)]
      : [limit(accountName(account), MAX_ATTEMPTS), limit(`network ${networkOf(address)}`, MAX_ATTEMPTS_PER_NETWORK)];
    await countAttempt(this.#deps, limits);
  }

  /** The password was correct. */
  async recordSuccess({ account, deviceToken }: SignInAttempt): Promise<void> {
    const known = deviceToken === undefined ? [] : [deviceName(deviceToken)];
    await forgetAttempts(this.#deps, [accountName(account), ...known]);
  }

  /** For a browser that has signed in, to send with its next sign-in. */
  async createDeviceToken(account: string): Promise<string> {
    const name = this.#deps.ids.uuid();
    return `${name}.${await this.#secret.sign(`${account} ${name}`)}`;
  }

  async #isTokenOf(account: string, device: string | undefined): Promise<boolean> {
    const [name, signed, ...rest] = (device ?? '').slice(0, 200).split('.');
    if (!name || !signed || rest.length > 0) return false;
    return this.#secret.isSignatureOf(`${account} ${name}`, signed);
  }
}

const limit = (name: string, max: number): Limit => ({ name, max, windowMs: WINDOW_MS });
const accountName = (account: string): string => `account ${account}`;
const deviceName = (deviceToken: string | undefined): string => `device ${deviceToken}`;
