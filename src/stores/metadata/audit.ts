/**
 * The audit log of an organization: numbered entries, each with a hash over itself and the hash before, so that a missing
 * or changed one is noticed. Entries are only added; data retention removes the oldest and keeps the hash of the last one
 * that it removed.
 */
import type { Json } from '../../core/json/json.ts';
import type { Page, Paged } from './page.ts';

/** How and from where somebody did it. */
export interface AuditOrigin {
  via: 'session' | 'personal_key' | 'sign_in' | 'operator';
  /** Shortened. */
  address?: string;
  key?: { id: string; label: string };
  /** Id of the session. */
  session?: string;
  /** Name of the program, where it said one. */
  client?: string | undefined;
}

/** Values are only there for rights, never for data or secrets. */
export interface AuditChange {
  field: string | null;
  action: string;
  before?: Json;
  after?: Json;
}

interface AuditDetail {
  name: string | null;
  changes: AuditChange[] | null;
  origin: AuditOrigin | null;
}

export interface AuditEntry {
  organizationId: string;
  /** From 1, without gaps. */
  number: number;
  projectId: number | null;
  /** Null: the system. */
  userId: number | null;
  activity: string;
  scope: string;
  itemId: string;
  detail: AuditDetail;
  createdAt: number;
  hash: string;
}

export interface AuditQuery {
  organizationId: string;
  /** From this time. */
  after?: number;
  /** Before this time. */
  before?: number;
  scope?: string;
  userId?: number;
  activity?: string;
  /** Entries with a lower number, for reading on. */
  belowNumber?: number;
}

export interface BrokenAudit {
  organizationId: string;
  number: number;
}

export interface AuditStore {
  /** Gives the entry its number and hash. In a transaction only: no other entry may come between. */
  append(entry: Omit<AuditEntry, 'number' | 'hash'>): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery, page: Page): Promise<Paged<AuditEntry>>;
  /** Entries with a higher number, oldest first. */
  listAfter(organizationId: string, number: number, limit: number): Promise<AuditEntry[]>;
  /** Removes entries older than this; how many. */
  removeBefore(time: number): Promise<number>;
  /** Of each organization the first entry that is missing or was changed; empty if all are as they were written. */
  findBroken(): Promise<BrokenAudit[]>;
}
