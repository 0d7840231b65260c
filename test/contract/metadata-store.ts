/**
 * What every metadata store does. Each implementation has a test of a few lines that runs
 * this suite. `open` gives a fresh, empty store.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COOKIELESS_STATELESS, DEFAULT_WEB_SETTINGS } from '../../src/core/web/web-settings.ts';
import {
  type Activity,
  ADMIN,
  CAN_EDIT,
  CAN_VIEW,
  type Invite,
  MEMBER,
  type Membership,
  type Organization,
  OWNER,
  type PersonalKey,
  type Project,
  type ResourceAccess,
  type Role,
  type RoleMembership,
  type Session,
  type User,
} from '../../src/stores/metadata/accounts.ts';
import type { Passkey } from '../../src/stores/metadata/factors.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { aSession } from './account-builders.ts';

/** Beyond 32 bits, as today's times are. */
const NOW = 1_768_478_400_000;
const ALL = { limit: 100, offset: 0 };

export const anOrganization = (id: string, rest: Partial<Organization> = {}): Organization => ({
  id,
  name: `Organization ${id}`,
  slug: id,
  createdAt: NOW,
  updatedAt: NOW,
  requiresFactor: false,
  allowsSharing: true,
  ...rest,
});
const aUser = (name: string, rest: Partial<Omit<User, 'id'>> = {}): Omit<User, 'id'> => ({
  uuid: `uuid of ${name}`,
  distinctId: `distinct id of ${name}`,
  email: `${name}@example.org`,
  firstName: name,
  passwordHash: null,
  isActive: true,
  currentOrganizationId: null,
  currentProjectId: null,
  joinedAt: NOW,
  lastSignedInAt: null,
  isBreakGlass: false,
  ...rest,
});
const aMembership = (organizationId: string, userId: number, rest: Partial<Membership> = {}): Membership => ({
  id: `${organizationId}/${userId}`,
  organizationId,
  userId,
  level: MEMBER,
  ownLevel: rest.level ?? MEMBER,
  joinedAt: NOW,
  updatedAt: NOW,
  ...rest,
});
const anInvite = (organizationId: string, name: string, rest: Partial<Invite> = {}): Invite => ({
  id: `invite of ${name} to ${organizationId}`,
  organizationId,
  email: `${name}@example.org`,
  firstName: name,
  level: ADMIN,
  tokenHash: `hash of ${name} ${organizationId}`,
  createdBy: null,
  createdAt: NOW,
  expiresAt: NOW + 1000,
  message: null,
  emailingAttemptMade: false,
  ...rest,
});
const aKey = (id: string, userId: number, rest: Partial<PersonalKey> = {}): PersonalKey => ({
  id,
  userId,
  label: `Key ${id}`,
  hash: `hash of ${id}`,
  mask: 'phx_...abcd',
  scopes: ['*'],
  projectIds: [],
  organizationIds: [],
  createdAt: NOW,
  expiresAt: null,
  rolledAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
  ...rest,
});
export const aProject = (
  organizationId: string,
  key: string,
  rest: Partial<Omit<Project, 'id'>> = {},
): Omit<Project, 'id'> => ({
  uuid: `uuid of ${key}`,
  organizationId,
  name: 'Default project',
  apiToken: key,
  secretHash: null,
  timezone: 'UTC',
  anonymizeIps: false,
  eventsRetentionDays: null,
  testAccountFilters: [],
  pathCleaningFilters: [],
  webAnalytics: { ...DEFAULT_WEB_SETTINGS, bounce_seconds: 20 },
  cookielessServerHashMode: COOKIELESS_STATELESS,
  slackIncomingWebhook: null,
  ingestedEvent: false,
  preferences: {},
  createdAt: NOW,
  updatedAt: NOW,
  ...rest,
});
const aRole = (organizationId: string, name: string, rest: Partial<Role> = {}): Role => ({
  id: `role ${organizationId} ${name}`,
  organizationId,
  name,
  featureFlagsAccessLevel: CAN_EDIT,
  createdAt: NOW,
  createdBy: null,
  ...rest,
});
const aRoleMembership = (roleId: string, userId: number, rest: Partial<RoleMembership> = {}): RoleMembership => ({
  id: `${roleId}/${userId}`,
  roleId,
  userId,
  joinedAt: NOW,
  updatedAt: NOW,
  source: 'manual',
  ...rest,
});
const anAccess = (organizationId: string, resource: string): ResourceAccess => ({
  id: `${organizationId}/${resource}`,
  organizationId,
  resource,
  accessLevel: CAN_EDIT,
  createdAt: NOW,
  updatedAt: NOW,
  createdBy: null,
});
const anActivity = (id: string, rest: Partial<Activity> = {}): Activity => ({
  id,
  organizationId: 'one',
  projectId: null,
  userId: 1,
  activity: 'updated',
  scope: 'Team',
  itemId: '1',
  detail: { changes: null, trigger: null, name: 'Default project', short_id: null },
  createdAt: NOW,
  ...rest,
});

export function describeMetadataStore(name: string, open: () => Promise<MetadataStore>): void {
  describe(`MetadataStore on ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    describe('organizations', () => {
      it('are found by id and by slug, with every field', async () => {
        const one = anOrganization('one', { name: 'Ünïcode \u{1f600} & <b>', updatedAt: NOW + 1 });
        await store.organizations.create(one);
        expect(await store.organizations.get('one')).toEqual(one);
        expect(await store.organizations.getBySlug('one')).toEqual(one);
        expect(await store.organizations.get('two')).toBeNull();
        expect(await store.organizations.getBySlug('two')).toBeNull();
      });

      it('have unique slugs', async () => {
        await store.organizations.create(anOrganization('one', { slug: 'same' }));
        await expect(store.organizations.create(anOrganization('two', { slug: 'same' }))).rejects.toThrow();
      });

      it('change only the given fields', async () => {
        await store.organizations.create(anOrganization('one'));
        await store.organizations.create(anOrganization('two'));
        await store.organizations.update('one', { name: 'New', updatedAt: NOW + 5 });
        expect(await store.organizations.get('one')).toEqual(
          anOrganization('one', { name: 'New', updatedAt: NOW + 5 }),
        );
        expect(await store.organizations.get('two')).toEqual(anOrganization('two'));
      });

      it('are listed for their members, in the order they joined, in pages', async () => {
        const { id } = await store.users.create(aUser('ada'));
        for (const [place, organization] of ['c', 'a', 'b'].entries()) {
          await store.organizations.create(anOrganization(organization));
          await store.memberships.create(aMembership(organization, id, { joinedAt: NOW + place }));
        }
        await store.organizations.create(anOrganization('elsewhere'));
        const list = (limit: number, offset: number) => store.organizations.listByUser(id, { limit, offset });
        expect((await list(100, 0)).items.map((item) => item.id)).toEqual(['c', 'a', 'b']);
        expect(await list(2, 1)).toEqual({ count: 3, items: [anOrganization('a'), anOrganization('b')] });
        expect(await list(2, Number.MAX_SAFE_INTEGER)).toEqual({ count: 3, items: [] });
        expect(await store.organizations.listByUser(id + 1, ALL)).toEqual({ count: 0, items: [] });
      });

      it('are deleted with everything that belongs to them', async () => {
        const { id: userId } = await store.users.create(aUser('ada'));
        for (const organization of ['one', 'two']) {
          const role = aRole(organization, 'Editors');
          await store.organizations.create(anOrganization(organization));
          await store.memberships.create(aMembership(organization, userId));
          await store.projects.create(aProject(organization, `phc_${organization}`));
          await store.roles.create(role);
          await store.roleMemberships.create(aRoleMembership(role.id, userId));
          await store.resourceAccess.create(anAccess(organization, 'feature flags'));
          await store.activity.create(anActivity(organization, { organizationId: organization }));
        }
        await store.organizations.delete('one');
        const left = async (organization: string) => ({
          organization: (await store.organizations.get(organization)) !== null,
          memberships: (await store.memberships.list(organization, ALL)).count,
          projects: (await store.projects.list([organization], ALL)).count,
          roles: (await store.roles.list(organization, ALL)).count,
          roleMemberships: (await store.roleMemberships.listByRoles([aRole(organization, 'Editors').id])).length,
          resourceAccess: (await store.resourceAccess.list(organization, ALL)).count,
          activity: (await store.activity.list({ organizationId: organization }, ALL)).count,
        });
        const none = { memberships: 0, projects: 0, roles: 0, roleMemberships: 0, resourceAccess: 0, activity: 0 };
        const each = { memberships: 1, projects: 1, roles: 1, roleMemberships: 1, resourceAccess: 1, activity: 1 };
        expect(await left('one')).toEqual({ organization: false, ...none });
        expect(await left('two')).toEqual({ organization: true, ...each });
        expect(await store.users.get(userId)).not.toBeNull();
      });
    });

    describe('users', () => {
      it('get a number, and are found by it, by uuid and by e-mail', async () => {
        const wanted = aUser('ada', { passwordHash: 'hash', currentOrganizationId: 'one', currentProjectId: 2 ** 40 });
        const ada = await store.users.create(wanted);
        expect(ada).toEqual({ ...wanted, id: ada.id });
        expect(Number.isInteger(ada.id)).toBe(true);
        expect(await store.users.get(ada.id)).toEqual(ada);
        expect(await store.users.getByUuid(ada.uuid)).toEqual(ada);
        expect(await store.users.getByEmail('ada@example.org')).toEqual(ada);
        expect(await store.users.getByEmail('ADA@Example.org')).toEqual(ada);
      });

      it('are null if they do not exist', async () => {
        expect(await store.users.get(1)).toBeNull();
        expect(await store.users.getByUuid('nobody')).toBeNull();
        expect(await store.users.getByEmail('nobody@example.org')).toBeNull();
        expect(await store.users.listAll()).toEqual([]);
      });

      it('are looked up together, and listed in the order they came', async () => {
        const [ada, grace, alan] = [
          await store.users.create(aUser('ada')),
          await store.users.create(aUser('grace')),
          await store.users.create(aUser('alan')),
        ];
        expect(await store.users.listByIds([])).toEqual([]);
        expect(await store.users.listByIds([alan.id, ada.id, 999])).toHaveLength(2);
        expect(await store.users.listByIds([alan.id, ada.id])).toEqual(expect.arrayContaining([ada, alan]));
        expect(await store.users.listAll()).toEqual([ada, grace, alan]);
      });

      it('have unique e-mail addresses', async () => {
        await store.users.create(aUser('ada'));
        await expect(store.users.create(aUser('ada', { uuid: 'another' }))).rejects.toThrow();
      });

      it('change only the given fields', async () => {
        const ada = await store.users.create(aUser('ada'));
        const grace = await store.users.create(aUser('grace'));
        const changes = { firstName: 'Augusta', isActive: false, currentProjectId: 3, passwordHash: 'new' };
        await store.users.update(ada.id, changes);
        expect(await store.users.get(ada.id)).toEqual({ ...ada, ...changes });
        expect(await store.users.get(grace.id)).toEqual(grace);
        await store.users.update(ada.id, { isActive: true, currentProjectId: null });
        expect(await store.users.get(ada.id)).toEqual({ ...ada, ...changes, isActive: true, currentProjectId: null });
      });
    });

    describe('memberships', () => {
      it('are found by organization and user, and listed both ways', async () => {
        const first = aMembership('one', 1, { level: OWNER, joinedAt: NOW + 2 });
        const second = aMembership('one', 2, { joinedAt: NOW + 1 });
        const elsewhere = aMembership('two', 1, { level: ADMIN, joinedAt: NOW });
        for (const membership of [first, second, elsewhere]) await store.memberships.create(membership);
        expect(await store.memberships.get('one', 1)).toEqual(first);
        expect(await store.memberships.get('two', 2)).toBeNull();
        expect(await store.memberships.listByUser(1)).toEqual([elsewhere, first]);
        expect(await store.memberships.listByUser(3)).toEqual([]);
        expect(await store.memberships.list('one', ALL)).toEqual({ count: 2, items: [second, first] });
        expect(await store.memberships.list('one', { limit: 1, offset: 1 })).toEqual({ count: 2, items: [first] });
      });

      it('are unique', async () => {
        await store.memberships.create(aMembership('one', 1));
        await expect(store.memberships.create(aMembership('one', 1, { id: 'another' }))).rejects.toThrow();
      });

      it('count the owners of one organization', async () => {
        await store.memberships.create(aMembership('one', 1, { level: OWNER }));
        await store.memberships.create(aMembership('one', 2, { level: ADMIN }));
        await store.memberships.create(aMembership('two', 1, { level: OWNER }));
        expect(await store.memberships.countOwners('one')).toBe(1);
        expect(await store.memberships.countOwners('three')).toBe(0);
      });

      it('change level', async () => {
        const membership = aMembership('one', 1);
        await store.memberships.create(membership);
        const changes = { level: ADMIN, ownLevel: null, updatedAt: NOW + 9 } as const;
        await store.memberships.update(membership.id, changes);
        expect(await store.memberships.get('one', 1)).toEqual({ ...membership, ...changes });
      });

      it("take the user's roles in that organization with them, and no others", async () => {
        const [here, there] = [aRole('one', 'Editors'), aRole('two', 'Editors')];
        for (const role of [here, there]) {
          await store.roles.create(role);
          await store.memberships.create(aMembership(role.organizationId, 1));
          await store.roleMemberships.create(aRoleMembership(role.id, 1));
          await store.roleMemberships.create(aRoleMembership(role.id, 2));
        }
        await store.memberships.delete(aMembership('one', 1).id);
        await store.memberships.delete('no such membership');
        expect(await store.memberships.get('one', 1)).toBeNull();
        expect((await store.roleMemberships.listByRoles([here.id])).map((one) => one.userId)).toEqual([2]);
        expect((await store.roleMemberships.listByRoles([there.id])).map((one) => one.userId)).toEqual([1, 2]);
      });
    });

    describe('invitations', () => {
      it('are found by id, listed newest first, and replaced by a later one of the same address', async () => {
        const first = anInvite('a', 'ada');
        const grace = anInvite('a', 'grace', { createdAt: NOW + 1 });
        const elsewhere = anInvite('b', 'ada');
        for (const invite of [first, grace, elsewhere]) await store.invites.create(invite);
        expect(await store.invites.get(first.id)).toEqual(first);
        expect(await store.invites.list('a', ALL)).toEqual({ count: 2, items: [grace, first] });
        const second = { ...first, id: 'second', tokenHash: 'hash 2', createdAt: NOW + 2 };
        await store.invites.create(second);
        expect(await store.invites.get(first.id)).toBeNull();
        expect((await store.invites.list('a', ALL)).items).toEqual([second, grace]);
        expect((await store.invites.list('b', ALL)).items).toEqual([elsewhere]);
        expect(await store.invites.listByEmail(second.email.toUpperCase())).toEqual([elsewhere, second]);
        expect(await store.invites.listByEmail('nobody@example.org')).toEqual([]);
      });

      it('are deleted once, and with their organization', async () => {
        await store.organizations.create(anOrganization('a'));
        const [ada, grace] = [anInvite('a', 'ada'), anInvite('a', 'grace')];
        for (const invite of [ada, grace]) await store.invites.create(invite);
        expect([await store.invites.delete(ada.id), await store.invites.delete(ada.id)]).toEqual([true, false]);
        expect(await store.organizations.count()).toBe(1);
        expect((await store.organizations.getOnly())?.id).toBe('a');
        await store.organizations.create(anOrganization('b'));
        expect(await store.organizations.getOnly()).toBeNull();
        await store.organizations.delete('b');
        await store.organizations.delete('a');
        expect(await store.organizations.getOnly()).toBeNull();
        expect(await store.invites.get(grace.id)).toBeNull();
        expect(await store.organizations.count()).toBe(0);
      });
    });

    describe('personal keys', () => {
      it('are found by digest, and by id for their owner alone', async () => {
        await store.personalKeys.create(aKey('a', 1));
        expect(await store.personalKeys.getByHash('hash of a')).toEqual(aKey('a', 1));
        expect(await store.personalKeys.getByHash('hash of b')).toBeNull();
        expect(await store.personalKeys.get(1, 'a')).toEqual(aKey('a', 1));
        expect(await store.personalKeys.get(2, 'a')).toBeNull();
      });

      it('are listed newest first', async () => {
        await store.personalKeys.create(aKey('old', 1));
        await store.personalKeys.create(aKey('new', 1, { createdAt: NOW + 1 }));
        await store.personalKeys.create(aKey("another's", 2));
        expect((await store.personalKeys.listByUser(1)).map((key) => key.id)).toEqual(['new', 'old']);
      });

      it('store when they were last used', async () => {
        await store.personalKeys.create(aKey('a', 1));
        await store.personalKeys.setLastUsed('a', NOW + 7, '192.0.2.x');
        const used = { lastUsedAt: NOW + 7, lastUsedFrom: '192.0.2.x' };
        expect(await store.personalKeys.get(1, 'a')).toEqual(aKey('a', 1, used));
      });

      it('remember from which networks they were used, the newest thousand of them', async () => {
        await store.personalKeys.create(aKey('a', 1, { expiresAt: NOW }));
        const add = (network: number, id = 'a') =>
          store.personalKeys.addNetwork(id, `network ${network}`, NOW + network);
        expect([await add(0), await add(0), await add(0, 'b')]).toEqual([true, false, true]);
        for (let network = 1; network <= 1000; network++) await add(network);
        expect([await add(1), await add(1000), await add(0)]).toEqual([false, false, true]);
        await store.personalKeys.delete('a');
        expect([await add(1), await add(0, 'b')]).toEqual([true, false]);
        await store.personalKeys.create(aKey('b', 1, { expiresAt: NOW }));
        await store.personalKeys.deleteExpired(NOW + 1);
        expect(await add(0, 'b')).toBe(true);
      });

      it('store what they are limited to, and change it', async () => {
        const limits = { scopes: ['query:read', 'person:write'], projectIds: [1, 2], expiresAt: NOW + 9 };
        await store.personalKeys.create(aKey('a', 1, limits));
        expect(await store.personalKeys.getByHash('hash of a')).toEqual(aKey('a', 1, limits));
        const changes = { label: 'Other', scopes: ['*'], projectIds: [], organizationIds: ['o'], expiresAt: null };
        await store.personalKeys.update('a', changes);
        expect(await store.personalKeys.get(1, 'a')).toEqual(aKey('a', 1, changes));
        await store.personalKeys.update('a', { hash: 'other', mask: 'phx_...wxyz', rolledAt: NOW });
        expect(await store.personalKeys.getByHash('hash of a')).toBeNull();
        expect(await store.personalKeys.getByHash('other')).toMatchObject({ id: 'a', rolledAt: NOW, scopes: ['*'] });
      });

      it('are removed some time after their end', async () => {
        await store.personalKeys.create(aKey('ended', 1, { expiresAt: NOW - 1 }));
        await store.personalKeys.create(aKey('ends', 1, { expiresAt: NOW }));
        await store.personalKeys.create(aKey('endless', 1));
        await store.personalKeys.deleteExpired(NOW);
        expect((await store.personalKeys.listByUser(1)).map(({ id }) => id).sort()).toEqual(['endless', 'ends']);
      });

      it('are not found after deletion', async () => {
        await store.personalKeys.create(aKey('a', 1));
        await store.personalKeys.create(aKey('b', 1));
        await store.personalKeys.delete('a');
        expect(await store.personalKeys.getByHash('hash of a')).toBeNull();
        expect(await store.personalKeys.listByUser(1)).toEqual([aKey('b', 1)]);
      });
    });

    describe('sessions', () => {
      const session = (hash: string, userId = 1, expiresAt = NOW + 10): Session =>
        aSession({ hash, userId, expiresAt, createdAt: NOW, lastSeenAt: NOW });

      it('are found by digest, and end one by one', async () => {
        await store.sessions.create(session('a'));
        await store.sessions.create(session('b'));
        expect(await store.sessions.getByHash('a')).toEqual(session('a'));
        await store.sessions.delete('a');
        expect(await store.sessions.getByHash('a')).toBeNull();
        expect(await store.sessions.getByHash('b')).toEqual(session('b'));
      });

      it('are listed latest seen first, without expired ones, and end by their id for their user alone', async () => {
        for (const [hash, userId] of [
          ['a', 1],
          ['b', 1],
          ['c', 2],
        ] as const) {
          await store.sessions.create(session(hash, userId));
        }
        await store.sessions.create(session('expired', 1, NOW));
        await store.sessions.setLastSeen('b', NOW + 5);
        const list = async () => (await store.sessions.listByUser(1, NOW)).map(({ hash }) => hash);
        expect(await list()).toEqual(['b', 'a']);
        expect((await store.sessions.getByHash('b'))?.lastSeenAt).toBe(NOW + 5);
        expect(await store.sessions.deleteById(2, 'id of a')).toBe(false);
        expect(await store.sessions.deleteById(1, 'id of a')).toBe(true);
        expect(await list()).toEqual(['b']);
      });

      it('are deleted together for one user', async () => {
        for (const [hash, userId] of [
          ['a', 1],
          ['b', 1],
          ['c', 2],
        ] as const) {
          await store.sessions.create(session(hash, userId));
        }
        await store.sessions.deleteByUser(1);
        expect(await Promise.all(['a', 'b', 'c'].map((hash) => store.sessions.getByHash(hash)))).toEqual([
          null,
          null,
          session('c', 2),
        ]);
      });

      it('are deleted together except one', async () => {
        for (const hash of ['a', 'b', 'c']) await store.sessions.create(session(hash));
        await store.sessions.deleteByUser(1, 'b');
        expect(await Promise.all(['a', 'b', 'c'].map((hash) => store.sessions.getByHash(hash)))).toEqual([
          null,
          session('b'),
          null,
        ]);
      });

      it('are deleted when they expire', async () => {
        await store.sessions.create(session('past', 1, NOW - 1));
        await store.sessions.create(session('now', 1, NOW));
        await store.sessions.create(session('future', 1, NOW + 1));
        await store.sessions.deleteExpired(NOW);
        expect(await store.sessions.getByHash('past')).toBeNull();
        expect(await store.sessions.getByHash('now')).toBeNull();
        expect(await store.sessions.getByHash('future')).not.toBeNull();
      });
    });

    describe('links for a new password', () => {
      it('are one per user, and are deleted by user or when they expire', async () => {
        const aReset = (userId: number, tokenHash: string, expiresAt = NOW) => ({ userId, tokenHash, expiresAt });
        await store.passwordResets.create(aReset(1, 'first'));
        await store.passwordResets.create(aReset(1, 'second', NOW + 1));
        await store.passwordResets.create(aReset(2, 'other'));
        expect(await store.passwordResets.get(1)).toEqual(aReset(1, 'second', NOW + 1));
        await store.passwordResets.deleteExpired(NOW);
        expect(await store.passwordResets.get(2)).toBeNull();
        expect(await store.passwordResets.get(1)).not.toBeNull();
        await store.passwordResets.delete(1);
        expect(await store.passwordResets.get(1)).toBeNull();
      });
    });

    describe('second factors', () => {
      const secret = { userId: 1, secret: 'sealed', lastStep: 0, createdAt: NOW, confirmedAt: null };
      const passkey = (id: string, userId = 1, createdAt = NOW): Passkey => ({
        id,
        userId,
        label: `label of ${id}`,
        publicKey: 'key',
        counter: 3,
        transports: ['usb', 'nfc'],
        createdAt,
        lastUsedAt: null,
      });

      it('use each step of an authenticator app once, and never an earlier one', async () => {
        await store.factors.setTotp({ ...secret, secret: 'older' });
        await store.factors.setTotp(secret);
        expect(await store.factors.getTotp(1)).toEqual(secret);
        const used = [];
        for (const step of [10, 10, 9, 11]) used.push(await store.factors.useTotpStep(1, step));
        expect(used).toEqual([true, false, false, true]);
        expect(await store.factors.useTotpStep(2, 1)).toBe(false);
        await store.factors.confirmTotp(1, NOW + 1);
        expect(await store.factors.getTotp(1)).toEqual({ ...secret, lastStep: 11, confirmedAt: NOW + 1 });
        await store.factors.deleteTotp(1);
        expect(await store.factors.getTotp(1)).toBeNull();
      });

      it('keep passkeys, oldest first, which only their user deletes', async () => {
        await store.factors.createPasskey(passkey('b', 1, NOW + 1));
        await store.factors.createPasskey(passkey('a'));
        await store.factors.createPasskey(passkey('c', 2));
        await expect(store.factors.createPasskey(passkey('a', 2))).rejects.toThrow();
        await store.factors.updatePasskey('a', { counter: 4, lastUsedAt: NOW + 2, label: 'new' });
        const changed = { ...passkey('a'), counter: 4, lastUsedAt: NOW + 2, label: 'new' };
        expect(await store.factors.getPasskey('a')).toEqual(changed);
        expect(await store.factors.listPasskeys(1)).toEqual([changed, passkey('b', 1, NOW + 1)]);
        expect(await store.factors.deletePasskey(2, 'a')).toBe(false);
        expect(await store.factors.deletePasskey(1, 'a')).toBe(true);
        expect(await store.factors.getPasskey('a')).toBeNull();
      });

      it('use recovery codes once, and are deleted together', async () => {
        await store.factors.setRecoveryCodes(1, ['old']);
        await store.factors.setRecoveryCodes(1, ['a', 'b']);
        await store.factors.setRecoveryCodes(2, ['a']);
        const use = (hash: string) => store.factors.useRecoveryCode(1, hash);
        expect([await use('old'), await use('a'), await use('a')]).toEqual([false, true, false]);
        expect(await store.factors.countRecoveryCodes(1)).toBe(1);
        await store.factors.setTotp(secret);
        await store.factors.createPasskey(passkey('a'));
        await store.factors.deleteAll(1);
        expect(await store.factors.getTotp(1)).toBeNull();
        expect(await store.factors.listPasskeys(1)).toEqual([]);
        expect(await store.factors.countRecoveryCodes(1)).toBe(0);
        expect(await store.factors.countRecoveryCodes(2)).toBe(1);
      });

      it('are marked in sessions, and required by organizations of a user', async () => {
        for (const hash of ['a', 'b']) await store.sessions.create(aSession({ hash, expiresAt: NOW }));
        await store.sessions.setHasFactor('a', true);
        const marks = async () => [
          (await store.sessions.getByHash('a'))?.hasFactor,
          (await store.sessions.getByHash('b'))?.hasFactor,
        ];
        expect(await marks()).toEqual([true, false]);
        await store.sessions.clearFactors(1);
        expect(await marks()).toEqual([false, false]);
        await store.organizations.create(anOrganization('one'));
        await store.memberships.create(aMembership('one', 1));
        expect(await store.organizations.requireFactorOf(1)).toBe(false);
        await store.organizations.update('one', { requiresFactor: true });
        expect((await store.organizations.get('one'))?.requiresFactor).toBe(true);
        expect(await store.organizations.requireFactorOf(1)).toBe(true);
        expect(await store.organizations.requireFactorOf(2)).toBe(false);
      });
    });

    describe('single sign-on', () => {
      const identity = (subject: string, userId: number, issuer = 'https://one.example.org') => ({
        issuer,
        subject,
        userId,
        createdAt: NOW,
      });
      const aDomain = (organizationId: string, domain: string, verifiedAt: number | null = null) => ({
        id: `${organizationId}/${domain}`,
        organizationId,
        domain,
        challenge: 'secret',
        verifiedAt,
        autoJoin: false,
        enforced: false,
        createdAt: NOW,
      });

      it('links a subject to one user, and a user to one subject of an issuer', async () => {
        const { issuer } = identity('a', 1);
        await store.ssoIdentities.create(identity('a', 1));
        await store.ssoIdentities.create(identity('a', 1, 'https://two.example.org'));
        await expect(store.ssoIdentities.create(identity('a', 2))).rejects.toThrow();
        await expect(store.ssoIdentities.create(identity('b', 1))).rejects.toThrow();
        await store.ssoIdentities.create(identity('A', 2));
        expect(await store.ssoIdentities.get(issuer, 'a')).toEqual(identity('a', 1));
        expect(await store.ssoIdentities.get(issuer, 'c')).toBeNull();
        expect(await store.ssoIdentities.getByUser(issuer, 2)).toEqual(identity('A', 2));
        expect(await store.ssoIdentities.getByUser(issuer, 3)).toBeNull();
      });

      it('keeps domains by organization, of which one is proved', async () => {
        await store.organizations.create(anOrganization('one'));
        for (const domain of ['b.org', 'a.org']) await store.domains.create(aDomain('one', domain));
        await store.domains.create(aDomain('two', 'a.org', NOW));
        await expect(store.domains.create({ ...aDomain('one', 'a.org'), id: 'again' })).rejects.toThrow();
        expect(await store.domains.list('one')).toEqual([aDomain('one', 'a.org'), aDomain('one', 'b.org')]);
        expect(await store.domains.get('one', 'two/a.org')).toBeNull();
        expect(await store.domains.getVerified('a.org')).toEqual(aDomain('two', 'a.org', NOW));
        expect(await store.domains.getVerified('b.org')).toBeNull();
        const changes = { verifiedAt: NOW + 1, autoJoin: true, enforced: true };
        await store.domains.update('one/b.org', changes);
        expect(await store.domains.get('one', 'one/b.org')).toEqual({ ...aDomain('one', 'b.org'), ...changes });
        await store.domains.delete('one/a.org');
        await store.organizations.delete('one');
        expect(await store.domains.list('one')).toEqual([]);
        expect(await store.domains.list('two')).toHaveLength(1);
      });

      it('ends sessions of a provider by user or by their id there, and no others', async () => {
        const byProvider = { method: 'oidc', expiresAt: NOW } as const;
        await store.sessions.create(aSession({ hash: 'a', ...byProvider, sid: 'x' }), 'token of a');
        await store.sessions.create(aSession({ hash: 'b', ...byProvider, sid: 'y' }));
        await store.sessions.create(aSession({ hash: 'c', ...byProvider, sid: 'z', userId: 2 }));
        await store.sessions.create(aSession({ hash: 'd', expiresAt: NOW }));
        expect([await store.sessions.getIdToken('a'), await store.sessions.getIdToken('b')]).toEqual([
          'token of a',
          null,
        ]);
        expect(await store.sessions.getByHash('a')).toEqual(aSession({ hash: 'a', ...byProvider, sid: 'x' }));
        expect([await store.sessions.userOfSid('z'), await store.sessions.userOfSid('w')]).toEqual([2, null]);
        expect(await store.sessions.deleteByProvider(2, 'x')).toBe(0);
        expect(await store.sessions.deleteByProvider(1, 'x')).toBe(1);
        expect(await store.sessions.deleteByProvider(1)).toBe(1);
        const left = await Promise.all(['a', 'b', 'c', 'd'].map((hash) => store.sessions.getByHash(hash)));
        expect(left.map((session) => session?.hash)).toEqual([undefined, undefined, 'c', 'd']);
      });

      it('remembers the last sign-in, and who may sign in without the provider', async () => {
        const user = await store.users.create(aUser('ada'));
        await store.users.update(user.id, { lastSignedInAt: NOW, isBreakGlass: true });
        expect(await store.users.get(user.id)).toEqual({ ...user, lastSignedInAt: NOW, isBreakGlass: true });
      });
    });

    describe('tokens for one use', () => {
      it('are spent once, and forgotten when they expire', async () => {
        const spend = (hash: string, expiresAt = NOW) => store.spentTokens.spend(hash, expiresAt);
        expect([await spend('a'), await spend('a'), await spend('b', NOW + 1)]).toEqual([true, false, true]);
        await store.spentTokens.deleteExpired(NOW);
        expect([await spend('a'), await spend('b')]).toEqual([true, false]);
      });
    });

    describe('throttles', () => {
      it('keep the times of attempts by name until they expire', async () => {
        expect(await store.throttles.get('a')).toEqual([]);
        await store.throttles.set('a', [NOW], NOW + 1);
        await store.throttles.set('a', [NOW, NOW + 1], NOW + 2);
        await store.throttles.set('b', [NOW], NOW);
        await store.throttles.set('c', [NOW], NOW + 9);
        await store.throttles.delete('c');
        await store.throttles.deleteExpired(NOW);
        const kept = await Promise.all(['a', 'b', 'c'].map((name) => store.throttles.get(name)));
        expect(kept).toEqual([[NOW, NOW + 1], [], []]);
      });
    });

    describe('projects', () => {
      const FULL = aProject('one', 'phc_full', {
        secretHash: 'secret',
        timezone: 'Europe/Berlin',
        anonymizeIps: true,
        eventsRetentionDays: 90,
        testAccountFilters: [{ key: 'email', value: 'it\u2019s', operator: 'is_not' }, null, 1],
        pathCleaningFilters: [{ regex: '\\d+', alias: 'id' }],
        slackIncomingWebhook: 'https://example.org/hook',
        ingestedEvent: true,
        preferences: { app_urls: ['https://example.org'], nested: { a: [1, null] } },
      });

      it('get a number, and are found by it, by key and by secret, with every field', async () => {
        const project = await store.projects.create(FULL);
        expect(project).toEqual({ ...FULL, id: project.id });
        expect(await store.projects.get(project.id)).toEqual(project);
        expect(await store.projects.getByApiToken('phc_full')).toEqual(project);
        expect(await store.projects.getBySecretHash('secret')).toEqual(project);
      });

      it('are found by named secret keys until those are replaced or deleted, alone or with the project', async () => {
        const project = await store.projects.create(aProject('one', 'phc_named'));
        const key = (id: string) => ({
          id,
          projectId: project.id,
          label: `Server ${id}`,
          hash: `hash ${id}`,
          mask: 'phs_...abcd',
          createdAt: 1_768_478_400_000 + Number(id),
          createdBy: 7,
          rolledAt: null,
        });
        for (const id of ['1', '2', '3']) await store.secretKeys.create(key(id));
        expect(await store.secretKeys.listByProject(project.id)).toEqual([key('3'), key('2'), key('1')]);
        expect(await store.secretKeys.listByProject(project.id + 1)).toEqual([]);
        const rolled = { hash: 'new', mask: 'phs_...efgh', rolledAt: 1_768_478_500_000 };
        await store.secretKeys.update('1', rolled);
        await store.secretKeys.delete('2');
        const found = async (hash: string) => (await store.projects.getBySecretHash(hash))?.id;
        expect(await Promise.all(['new', 'hash 1', 'hash 2', 'hash 3'].map(found))).toEqual([
          project.id,
          undefined,
          undefined,
          project.id,
        ]);
        expect((await store.secretKeys.listByProject(project.id))[1]).toEqual({ ...key('1'), ...rolled });
        await store.projects.delete(project.id);
        expect(await found('new')).toBeUndefined();
        expect(await store.secretKeys.listByProject(project.id)).toEqual([]);
      });

      it('are null if they do not exist', async () => {
        await store.projects.create(aProject('one', 'phc_plain'));
        expect(await store.projects.get(10 ** 14)).toBeNull();
        expect(await store.projects.getByApiToken('phc_other')).toBeNull();
        expect(await store.projects.getBySecretHash('secret')).toBeNull();
      });

      it('have unique keys; several may have no secret', async () => {
        await store.projects.create(aProject('one', 'phc_a'));
        await store.projects.create(aProject('one', 'phc_b'));
        await expect(store.projects.create(aProject('two', 'phc_a'))).rejects.toThrow();
      });

      it('are listed by organization in pages, and all together, oldest first', async () => {
        const made: Project[] = [];
        for (const [organization, key] of [
          ['one', 'a'],
          ['two', 'b'],
          ['one', 'c'],
          ['three', 'd'],
        ] as const) {
          made.push(await store.projects.create(aProject(organization, key)));
        }
        const keys = (projects: Project[]) => projects.map((project) => project.apiToken);
        expect(await store.projects.listAll()).toEqual(made);
        expect(await store.projects.list([], ALL)).toEqual({ count: 0, items: [] });
        expect(keys((await store.projects.list(['one', 'two'], ALL)).items)).toEqual(['a', 'b', 'c']);
        const page = await store.projects.list(['one', 'two'], { limit: 1, offset: 1 });
        expect([page.count, keys(page.items)]).toEqual([3, ['b']]);
        const everything = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };
        expect((await store.projects.list(['one'], everything)).items).toHaveLength(2);
      });

      it('change only the given fields', async () => {
        const plain = await store.projects.create(aProject('one', 'phc_plain'));
        const other = await store.projects.create(aProject('one', 'phc_other'));
        const { uuid: _uuid, organizationId: _organization, ...changes } = FULL;
        await store.projects.update(plain.id, changes);
        expect(await store.projects.get(plain.id)).toEqual({ ...plain, ...changes });
        expect(await store.projects.get(other.id)).toEqual(other);
        await store.projects.update(plain.id, { ingestedEvent: false, secretHash: null });
        expect(await store.projects.get(plain.id)).toEqual({
          ...plain,
          ...changes,
          ingestedEvent: false,
          secretHash: null,
        });
      });

      it('are deleted with their activity, and their id is not reused', async () => {
        const first = await store.projects.create(aProject('one', 'phc_a'));
        const last = await store.projects.create(aProject('one', 'phc_b'));
        await store.activity.create(anActivity('of the first', { projectId: first.id }));
        await store.activity.create(anActivity('of the last', { projectId: last.id }));
        await store.activity.create(anActivity('of none'));
        await store.projects.delete(last.id);
        expect(await store.projects.get(last.id)).toBeNull();
        const { items } = await store.activity.list({ organizationId: 'one' }, ALL);
        expect(items.map((item) => item.id)).toEqual(['of none', 'of the first']);
        expect((await store.projects.create(aProject('one', 'phc_c'))).id).toBeGreaterThan(last.id);
      });

      it('are listed as deleted until that is cleared', async () => {
        const { id } = await store.projects.create(aProject('one', 'phc_a'));
        await store.projects.delete(id);
        await store.projects.recordDeleted(id, 5_000_000_000_000);
        await store.projects.recordDeleted(id + 1, 7);
        expect(await store.projects.listDeleted()).toEqual([
          { projectId: id, deletedAt: 5_000_000_000_000 },
          { projectId: id + 1, deletedAt: 7 },
        ]);
        await store.projects.clearDeleted(id);
        expect(await store.projects.listDeleted()).toEqual([{ projectId: id + 1, deletedAt: 7 }]);
      });
    });

    describe('roles', () => {
      it('are found by id and by name, in their organization alone', async () => {
        const role = aRole('one', 'Editors', { createdBy: 7, featureFlagsAccessLevel: CAN_VIEW });
        await store.roles.create(role);
        expect(await store.roles.get('one', role.id)).toEqual(role);
        expect(await store.roles.get('two', role.id)).toBeNull();
        expect(await store.roles.getByName('one', 'Editors')).toEqual(role);
        expect(await store.roles.getByName('two', 'Editors')).toBeNull();
        expect(await store.roles.getByName('one', 'Editor')).toBeNull();
      });

      it.each([
        ['Editors', 'eDITORS'],
        ['Équipe', 'équipe'],
        ['Équipe', 'Équipe'],
        ['ΑΘΗΝΑ', 'αθηνα'],
      ])('called %s are found as %s', async (name, asked) => {
        await store.roles.create(aRole('one', name));
        expect((await store.roles.getByName('one', asked))?.name).toBe(name);
      });

      it('are listed by name, in pages', async () => {
        for (const name of ['c', 'a', 'b']) await store.roles.create(aRole('one', name));
        await store.roles.create(aRole('two', 'z'));
        const page = await store.roles.list('one', { limit: 2, offset: 1 });
        expect([page.count, page.items.map((role) => role.name)]).toEqual([3, ['b', 'c']]);
      });

      it('change in name and level', async () => {
        const role = aRole('one', 'Editors');
        await store.roles.create(role);
        await store.roles.update(role.id, { name: 'Writers' });
        await store.roles.update(role.id, { featureFlagsAccessLevel: CAN_VIEW });
        expect(await store.roles.get('one', role.id)).toEqual({
          ...role,
          name: 'Writers',
          featureFlagsAccessLevel: CAN_VIEW,
        });
      });

      it('are listed by user, and deleted with their memberships', async () => {
        const [editors, readers, elsewhere] = [
          aRole('one', 'Editors'),
          aRole('one', 'Readers'),
          aRole('two', 'Editors'),
        ];
        for (const role of [editors, readers, elsewhere]) await store.roles.create(role);
        for (const role of [editors, elsewhere]) await store.roleMemberships.create(aRoleMembership(role.id, 1));
        await store.roleMemberships.create(aRoleMembership(readers.id, 2));
        expect(await store.roles.listByUser('one', 1)).toEqual([editors]);
        expect(await store.roles.listByUser('one', 3)).toEqual([]);
        await store.roles.delete(editors.id);
        expect(await store.roles.get('one', editors.id)).toBeNull();
        expect(await store.roleMemberships.listByRoles([editors.id])).toEqual([]);
        expect(await store.roles.listByUser('two', 1)).toEqual([elsewhere]);
      });
    });

    describe('role memberships', () => {
      it('are found by id and by user, and listed for several roles in the order they joined', async () => {
        const late = aRoleMembership('a', 1, { joinedAt: NOW + 2 });
        const early = aRoleMembership('b', 2, { joinedAt: NOW + 1 });
        const other = aRoleMembership('c', 3);
        for (const membership of [late, early, other]) await store.roleMemberships.create(membership);
        expect(await store.roleMemberships.get('a', late.id)).toEqual(late);
        expect(await store.roleMemberships.get('b', late.id)).toBeNull();
        expect(await store.roleMemberships.getByUser('b', 2)).toEqual(early);
        expect(await store.roleMemberships.getByUser('b', 1)).toBeNull();
        expect(await store.roleMemberships.listByRoles([])).toEqual([]);
        expect(await store.roleMemberships.listByRoles(['a', 'b'])).toEqual([early, late]);
      });

      it('are unique, and can be deleted', async () => {
        const membership = aRoleMembership('a', 1);
        await store.roleMemberships.create(membership);
        await expect(store.roleMemberships.create({ ...membership, id: 'another' })).rejects.toThrow();
        await store.roleMemberships.delete(membership.id);
        expect(await store.roleMemberships.listByRoles(['a'])).toEqual([]);
      });
    });

    describe('resource access', () => {
      it('is found by id and by resource, in its organization alone', async () => {
        const access = anAccess('one', 'feature flags');
        await store.resourceAccess.create(access);
        expect(await store.resourceAccess.get('one', access.id)).toEqual(access);
        expect(await store.resourceAccess.get('two', access.id)).toBeNull();
        expect(await store.resourceAccess.getByResource('one', 'feature flags')).toEqual(access);
        expect(await store.resourceAccess.getByResource('one', 'insights')).toBeNull();
      });

      it('is set once for a resource, listed by resource, changed and removed', async () => {
        for (const resource of ['insights', 'cohorts']) await store.resourceAccess.create(anAccess('one', resource));
        await expect(store.resourceAccess.create({ ...anAccess('one', 'cohorts'), id: 'another' })).rejects.toThrow();
        const changes = { accessLevel: CAN_VIEW, updatedAt: NOW + 3 } as const;
        await store.resourceAccess.update('one/cohorts', changes);
        expect(await store.resourceAccess.list('one', ALL)).toEqual({
          count: 2,
          items: [{ ...anAccess('one', 'cohorts'), ...changes }, anAccess('one', 'insights')],
        });
        expect((await store.resourceAccess.list('one', { limit: 1, offset: 1 })).items).toHaveLength(1);
        await store.resourceAccess.delete('one/cohorts');
        expect(await store.resourceAccess.list('one', ALL)).toEqual({ count: 1, items: [anAccess('one', 'insights')] });
      });
    });

    describe('activity', () => {
      it('is listed newest first, also within one instant, with every field', async () => {
        const detail = {
          changes: [{ type: 'Team', action: 'changed' as const, field: 'name', before: { a: [1] }, after: null }],
          trigger: { job_id: '7' },
          name: null,
          short_id: 'abc',
        };
        const full = anActivity('second', { projectId: 3, userId: null, detail });
        await store.activity.create(anActivity('first'));
        await store.activity.create(full);
        const { count, items } = await store.activity.list({ organizationId: 'one' }, ALL);
        expect([count, items]).toEqual([2, [full, anActivity('first')]]);
      });

      it('is chosen by project, scope and item', async () => {
        await store.activity.create(anActivity('a', { projectId: 1, scope: 'Team', itemId: '1' }));
        await store.activity.create(anActivity('b', { projectId: 2, scope: 'Team', itemId: '2' }));
        await store.activity.create(anActivity('c', { projectId: 2, scope: 'Role', itemId: '1' }));
        await store.activity.create(anActivity('d', { organizationId: 'two', projectId: 1 }));
        const ids = async (query: object) =>
          (await store.activity.list({ organizationId: 'one', ...query }, ALL)).items.map((item) => item.id);
        expect(await ids({})).toEqual(['c', 'b', 'a']);
        expect(await ids({ projectId: 2 })).toEqual(['c', 'b']);
        expect(await ids({ scope: 'Team' })).toEqual(['b', 'a']);
        expect(await ids({ scope: 'Team', itemId: '1' })).toEqual(['a']);
        expect(await ids({ projectId: 9 })).toEqual([]);
        expect(await ids({ withoutScopes: ['Team', 'Other'] })).toEqual(['c']);
      });

      it('is paged', async () => {
        for (let i = 0; i < 5; i++) await store.activity.create(anActivity(String(i)));
        const page = await store.activity.list({ organizationId: 'one' }, { limit: 2, offset: 2 });
        expect([page.count, page.items.map((item) => item.id)]).toEqual([5, ['2', '1']]);
      });
    });

    describe('installation', () => {
      it('are set, replaced, read and removed', async () => {
        expect(await store.installation.get('setup')).toBeNull();
        await store.installation.set('setup', 'one');
        await store.installation.set('setup', 'two');
        await store.installation.set('other', 'three');
        expect(await store.installation.getOrAdd('once', 'first')).toBe('first');
        expect(await store.installation.getOrAdd('once', 'second')).toBe('first');
        expect(await store.installation.get('setup')).toBe('two');
        await store.installation.delete('setup');
        expect(await store.installation.get('setup')).toBeNull();
        expect(await store.installation.get('other')).toBe('three');
      });
    });

    describe('transactions', () => {
      it('return what the work returns', async () => {
        expect(await store.transaction(async () => 'done')).toBe('done');
      });

      it('commit everything', async () => {
        await store.transaction(async (inside) => {
          await inside.organizations.create(anOrganization('one'));
          await inside.installation.set('a', '1');
          expect(await inside.organizations.get('one')).toEqual(anOrganization('one'));
        });
        expect(await store.organizations.get('one')).toEqual(anOrganization('one'));
        expect(await store.installation.get('a')).toBe('1');
      });

      it('or nothing', async () => {
        const failing = store.transaction(async (inside) => {
          await inside.organizations.create(anOrganization('one'));
          await inside.installation.set('a', '1');
          throw new Error('half-way');
        });
        await expect(failing).rejects.toThrow('half-way');
        expect(await store.organizations.get('one')).toBeNull();
        expect(await store.installation.get('a')).toBeNull();
      });

      it('exclude other writers between reading and writing', async () => {
        await store.installation.set('n', '0');
        const increment = () =>
          store.transaction(async (inside) => {
            const n = Number(await inside.installation.get('n'));
            await new Promise((resolve) => setImmediate(resolve));
            await inside.installation.set('n', String(n + 1));
          });
        await Promise.all(Array.from({ length: 10 }, increment));
        expect(await store.installation.get('n')).toBe('10');
      });
    });

    it('can be checked', async () => {
      await expect(store.check()).resolves.toBeUndefined();
    });
  });
}
