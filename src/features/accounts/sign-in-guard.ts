/**
 * Slows those who guess passwords: by the account that is tried, and by the network that tries.
 *
 * A limit on an account is also a way to keep its owner out: whoever sends a wrong password every few seconds uses it up.
 * So a browser that has signed in to the account before carries a token that says so, and has attempts of its own,
 * whatever strangers do meanwhile. The token opens nothing by itself.
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
  /** The token of a browser that has been here before. */
  deviceToken: string | undefined;
}

const MAX_ATTEMPTS = 5;
const WINDOW_MS = MINUTE_MS;
/** One address may try more accounts than one account may be tried, or an office behind one address would lock itself out. */
const MAX_ATTEMPTS_PER_NETWORK = 20;

const DEVICE_SECRET = 'device_secret';

export class SignInGuard {
  readonly #deps: SignInGuardDeps;
  readonly #byAccount: Throttle;
  readonly #byNetwork: Throttle;
  readonly #byDevice: Throttle;
  #secret: string | null = null;

  constructor(deps: SignInGuardDeps) {
    this.#deps = deps;
    this.#byAccount = new Throttle(deps.clock, MAX_ATTEMPTS, WINDOW_MS);
    this.#byNetwork = new Throttle(deps.clock, MAX_ATTEMPTS_PER_NETWORK, WINDOW_MS);
    this.#byDevice = new Throttle(deps.clock, MAX_ATTEMPTS, WINDOW_MS);
  }

  /** Counts an attempt, or refuses it. Before the answer is known: attempts side by side must not slip through. */
  async recordAttempt({ account, address, deviceToken }: SignInAttempt): Promise<void> {
    const isKnown = await this.#isOf(account, deviceToken);
    const counted: [Throttle, string][] = isKnown
      ? [[this.#byDevice, deviceToken as string]]
      : [
          [this.#byAccount, account],
          [this.#byNetwork, networkOf(address)],
        ];
    const wait = Math.max(...counted.map(([throttle, name]) => throttle.secondsUntilAllowed(name)));
    if (wait > 0) throw throttled(wait);
    for (const [throttle, name] of counted) throttle.record(name);
  }

  /** The password was right. */
  recordSuccess({ account, deviceToken }: SignInAttempt): void {
    this.#byAccount.reset(account);
    if (deviceToken !== undefined) this.#byDevice.reset(deviceToken);
  }

  /** For a browser that has signed in to the account: to be shown when it does so again. */
  async createDeviceToken(account: string): Promise<string> {
    const name = this.#deps.ids.uuid();
    return `${name}.${signature(await this.#deviceSecret(), `${account} ${name}`)}`;
  }

  async #isOf(account: string, device: string | undefined): Promise<boolean> {
    const [name, signed, ...rest] = (device ?? '').slice(0, 200).split('.');
    if (!name || !signed || rest.length > 0) return false;
    return isSameSecret(signed, signature(await this.#deviceSecret(), `${account} ${name}`));
  }

  /** Made when it is first needed, and kept with the installation: browsers are known after a restart too. */
  async #deviceSecret(): Promise<string> {
    this.#secret ??= await this.#deps.metadata.installation.get(DEVICE_SECRET);
    this.#secret ??= await this.#deps.metadata.transaction(async ({ installation }) => {
      const made = (await installation.get(DEVICE_SECRET)) ?? this.#deps.ids.token('');
      await installation.set(DEVICE_SECRET, made);
      return made;
    });
    return this.#secret;
  }
}
