/** Second factors of users, and tokens that were used up. Times are ms UTC. */

/** The secret of an authenticator app. */
interface TotpSecret {
  userId: number;
  /** Encrypted. */
  secret: string;
  /** The last time step whose code was used; 0 before the first. */
  lastStep: number;
  createdAt: number;
  /** Null until the user has shown a code of it. */
  confirmedAt: number | null;
}

export interface Passkey {
  /** As the authenticator names it. */
  id: string;
  userId: number;
  label: string;
  /** In base64url. */
  publicKey: string;
  /** How often the authenticator says that it was used; 0 if it does not count. */
  counter: number;
  transports: string[];
  createdAt: number;
  lastUsedAt: number | null;
}

export interface FactorStore {
  getTotp(userId: number): Promise<TotpSecret | null>;
  /** Replaces the user's secret. */
  setTotp(secret: TotpSecret): Promise<void>;
  /** Records the use of a step's code; false if that step or a later one was used before. */
  useTotpStep(userId: number, step: number): Promise<boolean>;
  confirmTotp(userId: number, confirmedAt: number): Promise<void>;
  deleteTotp(userId: number): Promise<void>;
  createPasskey(passkey: Passkey): Promise<void>;
  getPasskey(id: string): Promise<Passkey | null>;
  /** Oldest first. */
  listPasskeys(userId: number): Promise<Passkey[]>;
  updatePasskey(id: string, changes: Partial<Pick<Passkey, 'label' | 'counter' | 'lastUsedAt'>>): Promise<void>;
  /** False if the user has no such passkey. */
  deletePasskey(userId: number, id: string): Promise<boolean>;
  /** Replaces the user's codes. */
  setRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void>;
  /** False if the user has no such code, or it was used. */
  useRecoveryCode(userId: number, hash: string): Promise<boolean>;
  countRecoveryCodes(userId: number): Promise<number>;
  /** Everything above. */
  deleteAll(userId: number): Promise<void>;
}

/** Tokens that work once, such as a challenge: remembered until they would have expired anyway. */
export interface SpentTokenStore {
  /** False if it was spent before. */
  spend(hash: string, expiresAt: number): Promise<boolean>;
  deleteExpired(now: number): Promise<void>;
}
