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

/** Adds a member to the first organization and creates a personal key for them. */
export async function addMember(server: TestServer, email: string, level = 1): Promise<TestMember> {
  const password = `password of ${email}`;
  const owner = clientFor(server);
  const added = await owner.post('/api/organizations/@current/members/', { body: { email, password, level } });
  if (added.status !== 201) throw new Error(`${email} was not added: ${JSON.stringify(added.body)}`);
  const signedIn = await owner.post('/api/login/', { key: null, body: { email, password } });
  const cookie = cookieOf(signedIn.headers);
  const made = await owner.post('/api/personal_api_keys/', { key: null, headers: { cookie }, body: { label: 'test' } });
  return { uuid: added.body.user.uuid, email, password, cookie, personalKey: made.body.value };
}
