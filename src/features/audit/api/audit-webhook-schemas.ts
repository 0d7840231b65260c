import { Type } from '@sinclair/typebox';
import { DateTime, isoOrNull, nullable, presentUserOrNull, UserSummarySchema } from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { AuditWebhook } from '../store/audit-webhook-store.ts';

export const AuditWebhookSchema = Type.Object({
  url: nullable(Type.String({ description: 'Null: nothing is sent.' })),
  secret: nullable(
    Type.String({ description: 'Only in the answer that made it: what `webhook-signature` is made with.' }),
  ),
  secret_rolled_at: nullable(DateTime),
  paused: nullable(Type.String({ description: 'Why nothing is sent until it is saved again.' })),
  last_number: nullable(Type.Integer({ description: 'Of the last entry that was sent, or waits to be.' })),
  waiting: Type.Integer({ description: 'Messages that wait to be delivered.' }),
  failed: Type.Integer({ description: 'Messages of the last 30 days that were not delivered.' }),
  created_by: nullable(UserSummarySchema),
  updated_at: nullable(DateTime),
});

export const AuditWebhookChangeSchema = Type.Partial(
  Type.Object({
    url: Type.String({ minLength: 1, maxLength: 2000 }),
    roll_secret: Type.Boolean({ description: 'Make a new secret; the old one is valid for another day.' }),
  }),
);

interface Known {
  secret?: string | null;
  paused: string | null;
  waiting: number;
  failed: number;
  users: ReadonlyMap<number, User>;
}

export const presentAuditWebhook = (
  webhook: AuditWebhook | null,
  { secret = null, paused, waiting, failed, users }: Known,
) => ({
  url: webhook?.url ?? null,
  secret,
  secret_rolled_at: isoOrNull(webhook?.rolledAt ?? null),
  paused,
  last_number: webhook?.lastNumber ?? null,
  waiting,
  failed,
  created_by: presentUserOrNull(users, webhook?.createdBy ?? null),
  updated_at: isoOrNull(webhook?.updatedAt ?? null),
});
