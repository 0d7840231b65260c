import { Type } from '@sinclair/typebox';
import { DateTime, nullable } from '../../../http/schemas/common.ts';
import type { PresentedEntry } from '../present-entry.ts';

export const AuditEntrySchema = Type.Object({
  number: Type.Integer({ description: 'Within the organization, without gaps.' }),
  created_at: DateTime,
  user: nullable(Type.Object({ uuid: Type.String(), first_name: Type.String(), email: Type.String() })),
  activity: Type.String(),
  scope: Type.String(),
  item_id: Type.String(),
  name: nullable(Type.String()),
  project_id: nullable(Type.Integer()),
  changes: nullable(Type.Array(Type.Unknown())),
  via: Type.String({
    description: '`session`, `personal_key`, `sign_in`, `operator`, or `system` for what happens by itself.',
  }),
  key: nullable(Type.Object({ id: Type.String(), label: Type.String() })),
  session: nullable(Type.String()),
  client: nullable(Type.String({ description: 'The program that used the key, such as an assistant.' })),
  address: nullable(Type.String({ description: 'Shortened.' })),
  hash: Type.String({ description: 'Of this entry and the hash before it.' }),
});

export const AUDIT_QUERY = {
  after: 'Entries from this time on.',
  before: 'Entries before this time.',
  scope: 'Only about this kind of item: `PersonalAPIKey`, `OrganizationMembership`, `FeatureFlag` and so on.',
  user: 'Only what this user did, by UUID.',
  activity: 'Only this: `created`, `updated`, `deleted`, `logged_in`, `exported` and so on.',
  format: '`json` (a page), `jsonl` or `csv` (everything, as a file).',
} as const;

export const AUDIT_COLUMNS = [
  'number',
  'created_at',
  'user',
  'activity',
  'scope',
  'item_id',
  'name',
  'project_id',
  'changes',
  'via',
  'key',
  'address',
  'hash',
] as const;

export const auditCells = (entry: PresentedEntry): string[] =>
  AUDIT_COLUMNS.map((column) => {
    if (column === 'user') return entry.user?.email ?? '';
    if (column === 'key') return entry.key?.label ?? '';
    const value = entry[column];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  });
