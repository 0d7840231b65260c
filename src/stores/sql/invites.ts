import type { Selectable } from 'kysely';
import type { Invite, MembershipLevel } from '../metadata/accounts.ts';
import type { InviteStore } from '../metadata/metadata-store.ts';
import { paged } from './paging.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

const toInvite = (row: Selectable<Tables['invites']>): Invite => ({
  ...row,
  level: row.level as MembershipLevel,
  emailingAttemptMade: row.emailingAttemptMade === 1,
});

export function inviteStore({ db }: Sql): InviteStore {
  return {
    async create(invite) {
      const { organizationId, email } = invite;
      await db.deleteFrom('invites').where('organizationId', '=', organizationId).where('email', '=', email).execute();
      const row = { ...invite, emailingAttemptMade: toBit(invite.emailingAttemptMade) };
      await db.insertInto('invites').values(row).execute();
    },
    async get(id) {
      const row = await db.selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toInvite(row) : null;
    },
    list: (organizationId, page) =>
      paged(
        db
          .selectFrom('invites')
          .where('organizationId', '=', organizationId)
          .selectAll()
          .orderBy('createdAt', 'desc')
          .orderBy('id'),
        page,
        toInvite,
      ),
    async listByEmail(email) {
      const own = db.selectFrom('invites').selectAll().where('email', '=', email.toLowerCase());
      return (await own.orderBy('createdAt').orderBy('id').execute()).map(toInvite);
    },
    async delete(id) {
      const { numDeletedRows } = await db.deleteFrom('invites').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
