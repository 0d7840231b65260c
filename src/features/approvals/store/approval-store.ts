/** Policies, the changes that wait for approval, and votes. Times are in ms UTC. */
import type { Insertable, Selectable } from 'kysely';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Page, Paged } from '../../../stores/metadata/page.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { paged } from '../../../stores/sql/paging.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';
import type {
  ApprovalPolicy,
  ChangeIntent,
  ChangeKind,
  ChangeRequest,
  ValidationStatus,
  Vote,
  VoteDecision,
} from '../rules/approval-records.ts';
import type { ActionKey, PolicyRules } from '../rules/policy.ts';
import type { RequestState } from '../rules/request-state.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly approvalPolicies: ApprovalPolicyStore;
    readonly changeRequests: ChangeRequestStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    approvalPolicies: {
      id: string;
      projectId: number;
      actionKey: ActionKey;
      rules: string;
      expiresAfterMs: number;
      enabled: Flag;
      createdBy: number | null;
      createdAt: number;
      updatedAt: number;
    };
    changeRequests: {
      id: string;
      projectId: number;
      kind: ChangeKind;
      actionKey: ActionKey;
      flagId: number | null;
      flagKey: string;
      intent: string;
      policy: string;
      baseVersion: number | null;
      validationStatus: ValidationStatus;
      validationError: string | null;
      validatedAt: number;
      state: RequestState;
      blastRadius: string | null;
      scheduledAt: number | null;
      expiresAt: number;
      createdBy: number | null;
      createdAt: number;
      updatedAt: number;
      appliedBy: number | null;
      appliedAt: number | null;
      applyError: string | null;
      resultData: string | null;
    };
    changeRequestVotes: {
      id: string;
      projectId: number;
      requestId: string;
      userId: number;
      decision: VoteDecision;
      reason: string;
      createdAt: number;
    };
  }
}

export interface ChangeRequestQuery {
  states?: readonly RequestState[] | undefined;
  flagId?: number | undefined;
}

interface ApprovalPolicyStore {
  create(policy: ApprovalPolicy): Promise<void>;
  get(projectId: number, id: string): Promise<ApprovalPolicy | null>;
  /** In the order of their actions. */
  listByProject(projectId: number): Promise<ApprovalPolicy[]>;
  update(policy: ApprovalPolicy): Promise<void>;
  delete(projectId: number, id: string): Promise<void>;
}

interface ChangeRequestStore {
  create(request: ChangeRequest): Promise<void>;
  get(projectId: number, id: string): Promise<ChangeRequest | null>;
  /** The newest first. */
  list(projectId: number, query: ChangeRequestQuery, page: Page): Promise<Paged<ChangeRequest>>;
  /** Of one flag, the oldest first. */
  listPendingOf(projectId: number, flagId: number): Promise<ChangeRequest[]>;
  countPending(projectId: number): Promise<number>;
  /** Of all projects: those that have waited for too long. */
  listExpired(now: number): Promise<ChangeRequest[]>;
  update(request: ChangeRequest): Promise<void>;
  /** Only if nothing has changed since it was measured. */
  setBlastRadius(request: ChangeRequest, blastRadius: JsonObject): Promise<void>;
  addVote(vote: Vote): Promise<void>;
  /** The oldest first. */
  listVotes(requestIds: readonly string[]): Promise<Vote[]>;
  deleteVotes(requestId: string): Promise<void>;
}

const toPolicy = (row: Selectable<Tables['approvalPolicies']>): ApprovalPolicy => ({
  ...row,
  rules: parseStoredJson(row.rules) as unknown as PolicyRules,
  enabled: row.enabled === 1,
});

const fromPolicy = (policy: ApprovalPolicy): Insertable<Tables['approvalPolicies']> => ({
  ...policy,
  rules: JSON.stringify(policy.rules),
  enabled: toBit(policy.enabled),
});

export function approvalPolicyStore({ db }: Sql): ApprovalPolicyStore {
  const all = () => db.selectFrom('approvalPolicies').selectAll();
  return {
    async create(policy) {
      await db.insertInto('approvalPolicies').values(fromPolicy(policy)).execute();
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toPolicy(row) : null;
    },
    async listByProject(projectId) {
      return (await all().where('projectId', '=', projectId).orderBy('actionKey').execute()).map(toPolicy);
    },
    async update({ id, ...policy }) {
      const { id: _, ...columns } = fromPolicy({ id, ...policy });
      await db.updateTable('approvalPolicies').set(columns).where('id', '=', id).execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('approvalPolicies').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}

const toObject = (text: string | null): JsonObject | null =>
  text === null ? null : (parseStoredJson(text) as JsonObject);
const toText = (object: JsonObject | null): string | null => (object === null ? null : stringifyExact(object));

const toRequest = (row: Selectable<Tables['changeRequests']>): ChangeRequest => ({
  ...row,
  intent: parseStoredJson(row.intent) as unknown as ChangeIntent,
  policy: parseStoredJson(row.policy) as unknown as PolicyRules,
  blastRadius: toObject(row.blastRadius),
  resultData: toObject(row.resultData),
});

const fromRequest = (request: ChangeRequest): Insertable<Tables['changeRequests']> => ({
  ...request,
  intent: stringifyExact({ ...request.intent }),
  policy: JSON.stringify(request.policy),
  blastRadius: toText(request.blastRadius),
  resultData: toText(request.resultData),
});

export function changeRequestStore({ db }: Sql): ChangeRequestStore {
  const all = () => db.selectFrom('changeRequests').selectAll();
  return {
    async create(request) {
      await db.insertInto('changeRequests').values(fromRequest(request)).execute();
    },
    async get(projectId, id) {
      const row = await all().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst();
      return row ? toRequest(row) : null;
    },
    async list(projectId, { states, flagId }, page) {
      // PostgreSQL knows no empty list.
      if (states?.length === 0) return { count: 0, items: [] };
      const found = all()
        .where('projectId', '=', projectId)
        .$if(states !== undefined, (q) => q.where('state', 'in', states ?? []))
        .$if(flagId !== undefined, (q) => q.where('flagId', '=', flagId ?? 0));
      return paged(found.orderBy('createdAt', 'desc').orderBy('id', 'desc'), page, toRequest);
    },
    async listPendingOf(projectId, flagId) {
      const rows = await all()
        .where('projectId', '=', projectId)
        .where('flagId', '=', flagId)
        .where('state', '=', 'pending')
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map(toRequest);
    },
    async countPending(projectId) {
      const row = await db
        .selectFrom('changeRequests')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('projectId', '=', projectId)
        .where('state', '=', 'pending')
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
    async listExpired(now) {
      const rows = await all().where('state', '=', 'pending').where('expiresAt', '<=', now).orderBy('id').execute();
      return rows.map(toRequest);
    },
    async update(request) {
      const { id, ...columns } = fromRequest(request);
      await db.updateTable('changeRequests').set(columns).where('id', '=', request.id).execute();
    },
    async setBlastRadius({ id, state, baseVersion }, blastRadius) {
      await db
        .updateTable('changeRequests')
        .set({ blastRadius: stringifyExact(blastRadius) })
        .where('id', '=', id)
        .where('state', '=', state)
        .where('baseVersion', baseVersion === null ? 'is' : '=', baseVersion)
        .execute();
    },
    async addVote(vote) {
      await db.insertInto('changeRequestVotes').values(vote).execute();
    },
    async listVotes(requestIds) {
      if (requestIds.length === 0) return [];
      return db
        .selectFrom('changeRequestVotes')
        .selectAll()
        .where('requestId', 'in', requestIds)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
    },
    async deleteVotes(requestId) {
      await db.deleteFrom('changeRequestVotes').where('requestId', '=', requestId).execute();
    },
  };
}
