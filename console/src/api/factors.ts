/** Second factors: the authenticator app, passkeys and recovery codes. */
import type { Static } from '@sinclair/typebox';
import type {
  FactorStatusSchema,
  NewCodesSchema,
  NewPasskeySchema,
  PasskeySchema,
  TotpSetupSchema,
} from '../../../src/features/accounts/api/factor-schemas.ts';
import type { SignedInSchema } from '../../../src/features/accounts/api/session-schemas.ts';
import { get, post, remove } from './request.ts';

export type FactorStatus = Static<typeof FactorStatusSchema>;
export type Passkey = Static<typeof PasskeySchema>;
type NewCodes = Static<typeof NewCodesSchema>;
type SignedIn = Static<typeof SignedInSchema>;

const OWN = '/api/users/@me/';
const PASSKEYS = '/api/webauthn/credentials/';

export const showCode = (token: string): Promise<SignedIn> => post<SignedIn>('/api/login/token/', { token });

export const getFactorStatus = (signal?: AbortSignal): Promise<FactorStatus> =>
  get<FactorStatus>(`${OWN}two_factor_status/`, undefined, signal);
/** Without a password, the session has to be younger than ten minutes. */
export const startTotp = (password: string): Promise<Static<typeof TotpSetupSchema>> =>
  post(`${OWN}two_factor_start_setup/`, password === '' ? {} : { current_password: password });
export const confirmTotp = (token: string): Promise<NewCodes> =>
  post<NewCodes>(`${OWN}two_factor_validate/`, { token });
export const turnOffTotp = (token: string): Promise<void> => post(`${OWN}two_factor_disable/`, { token });
export const replaceCodes = (token: string): Promise<NewCodes> =>
  post<NewCodes>(`${OWN}two_factor_backup_codes/`, { token });

export const listPasskeys = (signal?: AbortSignal): Promise<Passkey[]> => get<Passkey[]>(PASSKEYS, undefined, signal);
export const deletePasskey = (id: string): Promise<void> => remove(`${PASSKEYS}${encodeURIComponent(id)}/`);

/** Browsers allow passkeys for names with https, and for localhost; never for IP addresses. */
export const supportsPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|:/.test(location.hostname);

/** Asks the browser for a new passkey, and adds it. */
export async function addPasskey(label: string): Promise<Static<typeof NewPasskeySchema>> {
  const options = await post<PublicKeyCredentialCreationOptionsJSON>('/api/webauthn/register/begin', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return post('/api/webauthn/register/complete', { label, credential: credential.toJSON() });
}

export async function signInWithPasskey(): Promise<SignedIn> {
  const options = await post<PublicKeyCredentialRequestOptionsJSON>('/api/webauthn/login/begin', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return post<SignedIn>('/api/webauthn/login/complete', { credential: credential.toJSON() });
}

/** What went wrong in the browser's own dialog, in words that help. */
export const passkeyError = (error: unknown): unknown =>
  error instanceof DOMException
    ? new Error(
        error.name === 'InvalidStateError'
          ? 'This device has a passkey for this account already.'
          : 'The browser cancelled it, or no passkey was found. Try again.',
      )
    : error;
