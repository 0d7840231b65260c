/** A policy, a change that waits for approval, and a vote. Times are in ms UTC. */
import type { JsonObject } from '../../../core/json/json.ts';
import type { ActionKey, PolicyRules } from './policy.ts';
import type { RequestState } from './request-state.ts';

export interface ApprovalPolicy {
  id: string;
  projectId: number;
  actionKey: ActionKey;
  rules: PolicyRules;
  /** How long a change request waits. */
  expiresAfterMs: number;
  enabled: boolean;
  createdBy: number | null;
  createdAt: number;
  updatedAt: number;
}

export const VALIDATION_STATUSES = ['valid', 'invalid', 'expired', 'stale'] as const;
export type ValidationStatus = (typeof VALIDATION_STATUSES)[number];
/** What is made in the end: a new flag, a change of one, or a change of one at a time. */
export type ChangeKind = 'create' | 'update' | 'schedule';
export const DECISIONS = ['approved', 'rejected'] as const;
export type VoteDecision = (typeof DECISIONS)[number];

/** Fields as the API names them. */
export interface ChangeIntent {
  /** As they are; only those that change. */
  before: JsonObject;
  after: JsonObject;
  /** Of a scheduled change: what is made when. */
  schedule: JsonObject | null;
}

export interface ChangeRequest {
  id: string;
  projectId: number;
  kind: ChangeKind;
  actionKey: ActionKey;
  /** Null: the flag does not exist yet. */
  flagId: number | null;
  flagKey: string;
  intent: ChangeIntent;
  /** As it was when the change was asked for. */
  policy: PolicyRules;
  /** The version of the flag that the change was made for. */
  baseVersion: number | null;
  validationStatus: ValidationStatus;
  validationError: string | null;
  validatedAt: number;
  state: RequestState;
  /** As it was at the last vote; null: nobody has voted since the change was asked for, or since the flag changed. */
  blastRadius: JsonObject | null;
  scheduledAt: number | null;
  expiresAt: number;
  createdBy: number | null;
  createdAt: number;
  updatedAt: number;
  appliedBy: number | null;
  appliedAt: number | null;
  applyError: string | null;
  resultData: JsonObject | null;
}

export interface Vote {
  id: string;
  projectId: number;
  requestId: string;
  userId: number;
  decision: VoteDecision;
  reason: string;
  createdAt: number;
}
