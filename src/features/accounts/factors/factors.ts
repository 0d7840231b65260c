/** Second factors of an account: set up, shown at sign-in, and turned off. */
import type { Caller } from '../../../access/callers.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import { networkOf } from '../../../lib/network.ts';
import type { SecretKey } from '../../../lib/secret-key.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { recordAccountActivity, secretChange } from '../account-activity.ts';
import { countAttempt } from '../attempts.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import { newTotpSecret, stepOfCode, totpUrl } from './totp.ts';

interface FactorDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  /** Null: this cluster has no SECRET_KEY. */
  secretKey(): SecretKey | null;
}

const SETUP_LIFETIME_MS = 10 * MINUTE_MS;
/** Six digits are soon guessed, and whoever tries them knows the password already: few an hour, besides few a minute. */
const MAX_CODES_PER_MINUTE = 5;
const MAX_CODES_PER_HOUR = 20;
const MAX_CODES_PER_NETWORK = 20;

export class Factors {
  readonly #deps: FactorDeps;

  constructor(deps: FactorDeps) {
    this.#deps = deps;
  }

  /** Whether the password alone is not enough. */
  async isDue({ id }: User): Promise<boolean> {
    const { factors } = this.#deps.metadata;
    return ((await factors.getTotp(id))?.confirmedAt ?? null) !== null || (await factors.listPasskeys(id)).length > 0;
  }

  async status({ id }: User) {
    const { factors } = this.#deps.metadata;
    return {
      hasTotp: ((await factors.getTotp(id))?.confirmedAt ?? null) !== null,
      passkeys: await factors.listPasskeys(id),
      recoveryCodesLeft: await factors.countRecoveryCodes(id),
    };
  }

  /** A new secret, which counts once a code of it was shown. One that is in use stays so until then. */
  async startTotp(user: User): Promise<{ secret: string; url: string }> {
    const { metadata, clock } = this.#deps;
    const secret = newTotpSecret();
    const sealed = this.#key().encrypt(secret, placeOf(user));
    await metadata.transaction(async ({ factors }) => {
      if (((await factors.getTotp(user.id))?.confirmedAt ?? null) !== null) {
        throw invalid(undefined, 'An authenticator app is set up. Turn it off before you set up another.', 'in_use');
      }
      const pending = { userId: user.id, secret: sealed, lastStep: 0, createdAt: clock.now(), confirmedAt: null };
      await factors.setTotp(pending);
    });
    return { secret, url: totpUrl(secret, user.email) };
  }

  /** The recovery codes, if this is the first factor; they are returned only here. */
  async confirmTotp(caller: Caller, code: string, address: string): Promise<string[]> {
    const { user } = caller;
    await this.#countAttempt(user, address);
    return this.#deps.metadata.transaction(async (store) => {
      const pending = await store.factors.getTotp(user.id);
      const now = this.#deps.clock.now();
      if (pending?.confirmedAt !== null || pending.createdAt + SETUP_LIFETIME_MS <= now) {
        throw invalid(undefined, 'The set-up has expired. Start again.', 'setup_expired');
      }
      const step = stepOfCode(this.#secretOf(user, pending.secret) ?? '', code, now);
      if (step === null || !(await store.factors.useTotpStep(user.id, step))) {
        throw invalid(
          'token',
          'This code is not correct. Check the clock of your phone, and try again.',
          'token_invalid',
        );
      }
      await store.factors.confirmTotp(user.id, now);
      return this.firstFactorAdded(store, caller, 'totp');
    });
  }

  /** What follows from a new factor. */
  async firstFactorAdded(store: MetadataStore, { user, session }: Caller, field: string): Promise<string[]> {
    if (session !== undefined) await store.sessions.setHasFactor(session.hash, true);
    await recordAccountActivity(this.#deps, store, user, { activity: 'updated', changes: [secretChange(field)] });
    return (await store.factors.countRecoveryCodes(user.id)) > 0 ? [] : this.#makeRecoveryCodes(store, user);
  }

  async #makeRecoveryCodes(store: MetadataStore, user: User): Promise<string[]> {
    const codes = newRecoveryCodes(this.#deps.ids);
    await store.factors.setRecoveryCodes(
      user.id,
      codes.map((code) => recoveryCodeHash(code) ?? ''),
    );
    return codes;
  }

  async replaceRecoveryCodes(caller: Caller, code: string, address: string): Promise<string[]> {
    await this.#countAttempt(caller.user, address);
    return this.#deps.metadata.transaction(async (store) => {
      await this.use(store, caller.user, code);
      const changes = [secretChange('recovery_codes')];
      await recordAccountActivity(this.#deps, store, caller.user, { activity: 'updated', changes });
      return this.#makeRecoveryCodes(store, caller.user);
    });
  }

  async turnOffTotp(caller: Caller, code: string, address: string): Promise<void> {
    await this.#countAttempt(caller.user, address);
    await this.#deps.metadata.transaction(async (store) => {
      await this.use(store, caller.user, code);
      await store.factors.deleteTotp(caller.user.id);
      await this.factorRemoved(store, caller.user, 'totp');
    });
  }

  /** Without a factor there is nothing to recover, and no session counts as one with a factor. */
  async factorRemoved(store: MetadataStore, user: User, field: string): Promise<void> {
    const isLast =
      (await store.factors.getTotp(user.id)) === null && (await store.factors.listPasskeys(user.id)).length === 0;
    if (isLast) {
      await store.factors.deleteAll(user.id);
      await store.sessions.clearFactors(user.id);
    }
    await recordAccountActivity(this.#deps, store, user, { activity: 'updated', changes: [secretChange(field)] });
  }

  /** Call it before the code is checked, so that parallel attempts are counted. */
  async countAttempt(user: User, address: string): Promise<void> {
    await this.#countAttempt(user, address);
  }

  async #countAttempt({ id }: User, address: string): Promise<void> {
    await countAttempt(this.#deps, [
      { name: `codes of ${id}`, max: MAX_CODES_PER_MINUTE, windowMs: MINUTE_MS },
      { name: `codes of ${id} in an hour`, max: MAX_CODES_PER_HOUR, windowMs: HOUR_MS },
      { name: `codes from ${networkOf(address)}`, max: MAX_CODES_PER_NETWORK, windowMs: MINUTE_MS },
    ]);
  }

  /** Uses up a code of the app or a recovery code, in the transaction of what it is for; throws if it is wrong. */
  async use(store: MetadataStore, user: User, code: string): Promise<void> {
    const totp = await store.factors.getTotp(user.id);
    const secret = totp?.confirmedAt == null ? null : this.#secretOf(user, totp.secret);
    const step = secret === null ? null : stepOfCode(secret, code, this.#deps.clock.now());
    if (step !== null && (await store.factors.useTotpStep(user.id, step))) return;
    const hash = recoveryCodeHash(code);
    if (hash !== null && (await store.factors.useRecoveryCode(user.id, hash))) return;
    throw invalid('token', 'This code is not correct, or was used before.', '2fa_invalid');
  }

  #secretOf(user: User, sealed: string): string | null {
    return this.#key().decrypt(sealed, placeOf(user));
  }

  #key(): SecretKey {
    const key = this.#deps.secretKey();
    if (key) return key;
    throw new Failure('invalid', 'Authenticator apps need the setting SECRET_KEY on a cluster. Ask its operator.', {
      code: 'secret_key_needed',
    });
  }
}

const placeOf = ({ uuid }: User): string => `totp of ${uuid}`;
