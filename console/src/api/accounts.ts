/** Sign-in, the current user and their personal API keys. */
import type { Static } from '@sinclair/typebox';
import type { SignUpPreviewSchema, SignUpSchema } from '../../../src/features/accounts/api/invite-schemas.ts';
import type {
  NewPersonalKeySchema,
  PersonalKeySchema,
  PersonalKeyWriteSchema,
} from '../../../src/features/accounts/api/personal-key-schemas.ts';
import type {
  LinkedSchema,
  LinkSchema,
  OpenSessionsSchema,
  PendingLinkSchema,
  PrecheckAnswerSchema,
  SetUpSchema,
  SignedInSchema,
  SignedOutSchema,
  SignInOptionsSchema,
  SignInSchema,
} from '../../../src/features/accounts/api/session-schemas.ts';
import type { UserChangeSchema, UserSchema } from '../../../src/features/accounts/api/user-schemas.ts';
import { get, patch, post, remove, request } from './request.ts';

export type User = Static<typeof UserSchema>;
type SignedIn = Static<typeof SignedInSchema>;

export const getMe = (signal?: AbortSignal): Promise<User> => get<User>('/api/users/@me/', undefined, signal);
export const updateMe = (body: Static<typeof UserChangeSchema>): Promise<User> => patch<User>('/api/users/@me/', body);
export const setCurrentProject = (id: number): Promise<User> =>
  patch<User>('/api/users/@me/', { set_current_team: id });

export const signIn = (body: Static<typeof SignInSchema>): Promise<SignedIn> => post<SignedIn>('/api/login/', body);
export const setUp = (body: Static<typeof SetUpSchema>): Promise<SignedIn> => post<SignedIn>('/api/setup/', body);
type SignUpPreview = Static<typeof SignUpPreviewSchema>;
const signUpPath = (inviteId: string): string => `/api/signup/${encodeURIComponent(inviteId)}/`;
/** The token is in a header, because logs keep URLs. */
export const getSignUp = (inviteId: string, token: string, signal?: AbortSignal): Promise<SignUpPreview> =>
  request<SignUpPreview>('GET', signUpPath(inviteId), { headers: { 'x-invite-token': token }, signal });
export const signUp = (inviteId: string, body: Static<typeof SignUpSchema>): Promise<SignedIn> =>
  post<SignedIn>(signUpPath(inviteId), body);
export const getSignInOptions = (signal?: AbortSignal): Promise<Static<typeof SignInOptionsSchema>> =>
  get('/api/login/options/', undefined, signal);

const resetPath = (userUuid: string): string => `/api/reset/${encodeURIComponent(userUuid)}/`;
export const requestReset = (email: string): Promise<void> => post('/api/reset/', { email });
/** Throws if the link is not valid. */
export const checkReset = (userUuid: string, token: string, signal?: AbortSignal): Promise<void> =>
  request('GET', resetPath(userUuid), { headers: { 'x-reset-token': token }, signal });
export const completeReset = (userUuid: string, body: { token: string; password: string }): Promise<void> =>
  post(resetPath(userUuid), body);

export type OpenSession = Static<typeof OpenSessionsSchema>[number];
const OWN_SESSIONS = '/api/users/@me/sessions/';
export const listSessions = (signal?: AbortSignal): Promise<OpenSession[]> =>
  get<OpenSession[]>(OWN_SESSIONS, undefined, signal);
export const endSession = (id: string): Promise<void> => remove(`${OWN_SESSIONS}${encodeURIComponent(id)}/`);
export const endOtherSessions = (): Promise<void> => post(`${OWN_SESSIONS}revoke_others/`);

/** Where to go next: the sign-in page, or the provider, to sign out there, too. */
export const signOut = async (): Promise<string> => {
  const answer = await post<Static<typeof SignedOutSchema> | undefined>('/api/logout/');
  return answer?.redirect ?? '/login';
};

export const isSsoRequired = async (email: string): Promise<boolean> =>
  (await post<Static<typeof PrecheckAnswerSchema>>('/api/login/precheck', { email })).sso_enforcement !== null;
const LINK = '/api/login/link/';
export const getPendingLink = (signal?: AbortSignal): Promise<Static<typeof PendingLinkSchema>> =>
  get(LINK, undefined, signal);
export const linkAccount = (body: Static<typeof LinkSchema>): Promise<Static<typeof LinkedSchema>> => post(LINK, body);

export type PersonalKey = Static<typeof PersonalKeySchema>;
export type NewPersonalKey = Static<typeof NewPersonalKeySchema>;
export const listKeys = (signal?: AbortSignal): Promise<PersonalKey[]> =>
  get<PersonalKey[]>('/api/personal_api_keys/', undefined, signal);
export const createKey = (body: Static<typeof PersonalKeyWriteSchema>): Promise<NewPersonalKey> =>
  post<NewPersonalKey>('/api/personal_api_keys/', body);
export const rollKey = (id: string): Promise<NewPersonalKey> =>
  post<NewPersonalKey>(`/api/personal_api_keys/${encodeURIComponent(id)}/roll/`);
export const deleteKey = (id: string): Promise<void> => remove(`/api/personal_api_keys/${encodeURIComponent(id)}/`);
