import { Type } from '@sinclair/typebox';
import { DateTime, iso, nullable, Uuid } from '../../../http/schemas/common.ts';
import type { OrganizationDomain } from '../../../stores/metadata/sso.ts';
import { recordOf } from '../oidc/organization-domains.ts';

const Enforcement = Type.String({ description: '`oidc`: people sign in by the provider only. Empty: as they like.' });

export const DomainSchema = Type.Object({
  id: Uuid,
  domain: Type.String(),
  is_verified: Type.Boolean(),
  verified_at: nullable(DateTime),
  verification_challenge: Type.String({ description: 'The value of the TXT record that proves the domain.' }),
  jit_provisioning_enabled: Type.Boolean({ description: 'New people join when they first sign in by the provider.' }),
  sso_enforcement: Enforcement,
  has_saml: Type.Boolean(),
});

export const DomainWriteSchema = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) });

export const DomainChangeSchema = Type.Partial(
  Type.Object({
    jit_provisioning_enabled: Type.Boolean(),
    sso_enforcement: Type.Union([Type.Literal('oidc'), Type.Literal('')]),
  }),
);

export const presentDomain = (domain: OrganizationDomain) => ({
  id: domain.id,
  domain: domain.domain,
  is_verified: domain.verifiedAt !== null,
  verified_at: domain.verifiedAt === null ? null : iso(domain.verifiedAt),
  verification_challenge: recordOf(domain),
  jit_provisioning_enabled: domain.autoJoin,
  sso_enforcement: domain.enforced ? 'oidc' : '',
  has_saml: false,
});
