import { clientFor } from './client.ts';
import type { TestServer } from './server.ts';

export interface TestMember {
  uuid: string;
  email: string;
  password: string;
  personalKey: string;
  /** The session cookie of a sign-in, as a browser would send it. */
  cookie: string;
}

/** The cookie of a response, ready to be sent back. */
export const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

export interface TestInvite {
  id: string;
  token: string;
  link: string;
  /** Where it is accepted. */
  path: string;
}

/** An invitation to the organization of the key, the first one by default. */
export async function invite(
  server: { url: string; personalKey: string },
  body: { target_email: string; level?: number; first_name?: string },
): Promise<TestInvite> {
  const made = await clientFor(server).post('/api/organizations/@current/invites/', { body });
  if (made.status !== 201) throw new Error(`${body.target_email} was not invited: ${JSON.stringify(made.body)}`);
  const { id, link } = made.body;
  return { id, link, token: link.split('#token=')[1] ?? '', path: `/api/signup/${id}/` };
}

/** Adds a member to the first organization and creates a personal key for them. */
export async function addMember(server: TestServer, email: string, level = 1): Promise<TestMember> {
  const password = `password of ${email}`;
  const owner = clientFor(server);
  const invited = await invite(server, { target_email: email, level });
  const joined = await owner.post(invited.path, { key: null, body: { token: invited.token, password } });
  if (joined.status !== 200) throw new Error(`${email} did not join: ${JSON.stringify(joined.body)}`);
  const cookie = cookieOf(joined.headers);
  const made = await owner.post('/api/personal_api_keys/', {
    key: null,
    headers: { cookie },
    body: { label: 'test', scopes: ['*'] },
  });
  return { uuid: joined.body.user.uuid, email, password, cookie, personalKey: made.body.value };
}
