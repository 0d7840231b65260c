import { Type } from '@sinclair/typebox';
import { DateTime, iso, isoOrNull, nullable } from '../../../http/schemas/common.ts';
import type { PersonalKey } from '../../../stores/metadata/accounts.ts';

export const PersonalKeySchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  created_at: DateTime,
  last_used_at: nullable(DateTime),
  user_id: Type.Integer(),
});

export const NewPersonalKeySchema = Type.Object({
  ...PersonalKeySchema.properties,
  value: Type.String({ description: 'The key. It is shown only once.' }),
});

export const PersonalKeyWriteSchema = Type.Object({ label: Type.String({ minLength: 1, maxLength: 40 }) });

export const presentPersonalKey = (key: PersonalKey) => ({
  id: key.id,
  label: key.label,
  created_at: iso(key.createdAt),
  last_used_at: isoOrNull(key.lastUsedAt),
  user_id: key.userId,
});
