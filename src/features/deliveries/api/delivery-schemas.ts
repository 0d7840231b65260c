import { Type } from '@sinclair/typebox';
import { slotName } from '../../../core/alerts/slots.ts';
import { DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import { fullTarget, messageId, shortTarget } from '../rules/delivery-target.ts';
import type { Delivery } from '../store/delivery-store.ts';

export const DeliverySchema = Type.Object({
  id: Type.Integer(),
  message_id: Type.String({ description: 'What receivers see, the same at every attempt.' }),
  kind: Type.String({ description: '`alert`, `test`, `notice`, `audit`, `experiment`, `digest` or `flag`.' }),
  subject_id: Type.String({ description: 'The id of the alert or digest, or of the organization.' }),
  title: Type.String(),
  slot: Type.String({ description: 'The time that it is about; of the audit log, the number of the entry.' }),
  target_type: Type.String(),
  target: Type.String({ description: 'Shortened for whoever is no admin.' }),
  target_id: Type.String({ description: 'For the filter `target`.' }),
  state: Type.String({ description: '`waiting`, `sending`, `sent`, `failed`, `unknown` or `skipped`.' }),
  attempts: Type.Array(
    Type.Object({
      at: DateTime,
      ms: Type.Integer(),
      status: nullable(Type.Integer()),
      error: nullable(Type.String()),
    }),
  ),
  next_attempt_at: nullable(DateTime),
  created_at: DateTime,
});

export const presentDelivery = (delivery: Delivery, isFull: boolean) => ({
  id: delivery.id,
  message_id: messageId(delivery.key),
  kind: delivery.kind,
  subject_id: delivery.subjectId,
  title: delivery.message.title,
  slot: delivery.kind === 'audit' ? String(delivery.slot) : slotName(delivery.slot),
  target_type: delivery.target.type,
  target: isFull ? fullTarget(delivery.target) : shortTarget(delivery.target),
  target_id: delivery.targetHash,
  state: delivery.state,
  attempts: delivery.attempts.map(({ at, ...attempt }) => ({ at: iso(at), ...attempt })),
  next_attempt_at: delivery.state === 'waiting' ? iso(delivery.dueAt) : null,
  created_at: iso(delivery.createdAt),
});
