import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable } from '../../../http/schemas/common.ts';
import type { Passkey } from '../../../stores/metadata/factors.ts';

const Code = Type.String({ minLength: 1, maxLength: 40 });

export const CodeSchema = Type.Object({ token: Code });

export const FactorChangedSchema = Type.Object({ success: Type.Boolean() });

export const ReauthenticationSchema = Type.Object({
  current_password: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true })),
});

export const TotpSetupSchema = Type.Object({
  success: Type.Boolean(),
  secret: Type.String(),
  otpauth_url: Type.String({ description: 'For a QR code.' }),
});

const BackupCodes = Type.Array(Type.String(), { description: 'Shown only once.' });
export const NewCodesSchema = Type.Object({ success: Type.Boolean(), backup_codes: BackupCodes });

export const FactorStatusSchema = Type.Object({
  is_enabled: Type.Boolean(),
  method: nullable(Type.String()),
  backup_codes: Type.Array(Type.String(), { description: 'Always empty: codes are shown when they are made.' }),
  backup_codes_left: Type.Integer(),
  has_passkeys: Type.Boolean(),
  passkeys_enabled_for_2fa: Type.Boolean(),
});

const Label = Type.String({ minLength: 1, maxLength: 100 });

export const PasskeySchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  created_at: DateTime,
  last_used_at: nullable(DateTime),
  transports: Type.Array(Type.String()),
});

export const NewPasskeySchema = Type.Object({ ...PasskeySchema.properties, backup_codes: BackupCodes });

/** Checked by the library. */
const Credential = Type.Record(Type.String(), Type.Unknown(), { description: "The browser's answer, as JSON." });

export const PasskeyOptionsSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Options for `navigator.credentials`, as JSON.',
});
export const PasskeyRegistrationSchema = Type.Object({ label: Label, credential: Credential });
export const PasskeySignInSchema = Type.Object({ credential: Credential });
export const PasskeyChangeSchema = Type.Object({ label: Label });

export const presentPasskey = (passkey: Passkey) => ({
  id: passkey.id,
  label: passkey.label,
  created_at: iso(passkey.createdAt),
  last_used_at: passkey.lastUsedAt === null ? null : iso(passkey.lastUsedAt),
  transports: passkey.transports,
});
