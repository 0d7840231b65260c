/** What a store keeps of policies, change requests and votes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalPolicy, ChangeRequest, Vote } from '../../src/features/approvals/rules/approval-records.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;
const RULES = {
  conditions: { type: 'any', tags: ['production'] },
  quorum: 2,
  users: [1, 7],
  roles: ['0190a0a0-0000-7000-8000-00000000000a'],
  allowSelfApprove: false,
  bypassLevels: [15],
  bypassRoles: [],
} satisfies ApprovalPolicy['rules'];

const aPolicy = (rest: Partial<ApprovalPolicy> = {}): ApprovalPolicy => ({
  id: 'p1',
  projectId: 1,
  actionKey: 'feature_flag.update',
  rules: RULES,
  expiresAfterMs: 14 * 86_400_000,
  enabled: true,
  createdBy: 7,
  createdAt: NOW,
  updatedAt: NOW,
  ...rest,
});

const aRequest = (rest: Partial<ChangeRequest> = {}): ChangeRequest => ({
  id: 'r1',
  projectId: 1,
  kind: 'update',
  actionKey: 'feature_flag.update',
  flagId: 5,
  flagKey: 'beta',
  // Whole numbers keep all their digits.
  intent: { before: { active: false }, after: { filters: { payloads: { true: 9007199254740993n } } }, schedule: null },
  policy: RULES,
  baseVersion: 3,
  validationStatus: 'valid',
  validationError: null,
  validatedAt: NOW,
  state: 'pending',
  blastRadius: null,
  scheduledAt: null,
  expiresAt: NOW + 1000,
  createdBy: 7,
  createdAt: NOW,
  updatedAt: NOW,
  appliedBy: null,
  appliedAt: null,
  applyError: null,
  resultData: null,
  ...rest,
});

const aVote = (rest: Partial<Vote> = {}): Vote => ({
  id: 'v1',
  projectId: 1,
  requestId: 'r1',
  userId: 7,
  decision: 'approved',
  reason: 'fine',
  createdAt: NOW,
  ...rest,
});

export function describeApprovals(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`approvals: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());
    const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

    it('keeps one policy for each action of a project', async () => {
      await store.approvalPolicies.create(aPolicy());
      await store.approvalPolicies.create(aPolicy({ id: 'p2', actionKey: 'feature_flag.disable' }));
      await store.approvalPolicies.create(aPolicy({ id: 'p3', projectId: 2 }));
      await expect(store.approvalPolicies.create(aPolicy({ id: 'p4' }))).rejects.toThrow();
      expect(await store.approvalPolicies.get(1, 'p1')).toEqual(aPolicy());
      expect(await store.approvalPolicies.get(2, 'p1')).toBeNull();
      expect(ids(await store.approvalPolicies.listByProject(1))).toEqual(['p2', 'p1']);
      const changed = aPolicy({ enabled: false, expiresAfterMs: 60_000, updatedAt: NOW + 1 });
      await store.approvalPolicies.update(changed);
      expect(await store.approvalPolicies.get(1, 'p1')).toEqual(changed);
      await store.approvalPolicies.delete(2, 'p1');
      await store.approvalPolicies.delete(1, 'p2');
      expect(ids(await store.approvalPolicies.listByProject(1))).toEqual(['p1']);
    });

    it('returns a request unchanged, in its project only', async () => {
      await store.changeRequests.create(aRequest());
      expect(await store.changeRequests.get(1, 'r1')).toEqual(aRequest());
      expect(await store.changeRequests.get(2, 'r1')).toBeNull();
      const applied = aRequest({
        state: 'applied',
        appliedBy: 1,
        appliedAt: NOW + 5,
        resultData: { version: 4 },
        blastRadius: { users_changed: 12 },
        scheduledAt: NOW + 9,
      });
      await store.changeRequests.update(applied);
      expect(await store.changeRequests.get(1, 'r1')).toEqual(applied);
    });

    it('lists the newest first, by state and flag', async () => {
      await store.changeRequests.create(aRequest());
      await store.changeRequests.create(aRequest({ id: 'r2', createdAt: NOW + 2, flagId: 6, state: 'rejected' }));
      await store.changeRequests.create(aRequest({ id: 'r3', createdAt: NOW + 1, flagId: null, kind: 'create' }));
      await store.changeRequests.create(aRequest({ id: 'r4', projectId: 2 }));
      const page = { limit: 10, offset: 0 };
      const list = async (query: object) => ids((await store.changeRequests.list(1, query, page)).items);
      expect(await list({})).toEqual(['r2', 'r3', 'r1']);
      expect(await list({ states: ['pending'] })).toEqual(['r3', 'r1']);
      expect(await list({ states: [] })).toEqual([]);
      expect(await list({ flagId: 6 })).toEqual(['r2']);
      expect(await store.changeRequests.list(1, {}, { limit: 1, offset: 1 })).toMatchObject({
        count: 3,
        items: [{ id: 'r3' }],
      });
      expect(ids(await store.changeRequests.listPendingOf(1, 5))).toEqual(['r1']);
      expect(ids(await store.changeRequests.listPendingOf(1, 6))).toEqual([]);
      expect(await store.changeRequests.countPending(1)).toBe(2);
    });

    it('finds those that have waited for too long, in all projects', async () => {
      await store.changeRequests.create(aRequest());
      await store.changeRequests.create(aRequest({ id: 'r2', projectId: 2, expiresAt: NOW }));
      await store.changeRequests.create(aRequest({ id: 'r3', expiresAt: NOW, state: 'rejected' }));
      expect(ids(await store.changeRequests.listExpired(NOW))).toEqual(['r2']);
      expect(ids(await store.changeRequests.listExpired(NOW + 1000))).toEqual(['r1', 'r2']);
    });

    it('keeps a blast radius only for the version that was measured', async () => {
      await store.changeRequests.create(aRequest());
      await store.changeRequests.setBlastRadius(aRequest({ baseVersion: 2 }), { users_changed: 1 });
      expect((await store.changeRequests.get(1, 'r1'))?.blastRadius).toBeNull();
      await store.changeRequests.setBlastRadius(aRequest(), { users_changed: 2 });
      expect((await store.changeRequests.get(1, 'r1'))?.blastRadius).toEqual({ users_changed: 2 });
      await store.changeRequests.create(aRequest({ id: 'r2', baseVersion: null }));
      await store.changeRequests.setBlastRadius(aRequest({ id: 'r2', baseVersion: null }), { users_changed: 3 });
      expect((await store.changeRequests.get(1, 'r2'))?.blastRadius).toEqual({ users_changed: 3 });
    });

    it('keeps one vote of each person', async () => {
      await store.changeRequests.addVote(aVote());
      await store.changeRequests.addVote(aVote({ id: 'v2', userId: 8, createdAt: NOW - 1, decision: 'rejected' }));
      await store.changeRequests.addVote(aVote({ id: 'v3', requestId: 'r2' }));
      await expect(store.changeRequests.addVote(aVote({ id: 'v4' }))).rejects.toThrow();
      expect(await store.changeRequests.listVotes(['r1'])).toEqual([
        aVote({ id: 'v2', userId: 8, createdAt: NOW - 1, decision: 'rejected' }),
        aVote(),
      ]);
      expect(await store.changeRequests.listVotes([])).toEqual([]);
      await store.changeRequests.deleteVotes('r1');
      expect(ids(await store.changeRequests.listVotes(['r1', 'r2']))).toEqual(['v3']);
    });
  });
}
