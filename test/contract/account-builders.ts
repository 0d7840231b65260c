import type { Session } from '../../src/stores/metadata/accounts.ts';

export const aSession = (session: Partial<Session> & { hash: string }): Session => ({
  id: `id of ${session.hash}`,
  userId: 1,
  createdAt: 0,
  expiresAt: 0,
  lastSeenAt: 0,
  method: 'password',
  hasFactor: false,
  address: '203.0.113.x',
  userAgent: 'Browser',
  sid: null,
  ...session,
});
