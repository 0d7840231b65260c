import type { Config } from '../../../config.ts';
import type { RoleMap } from './group-grants.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scopes: string;
  /** Of the provider, as people know it. */
  name: string;
  prompt: string | null;
  /** Set by the operator. */
  domains: readonly string[];
  /** Id of an organization. */
  autoJoin: string | null;
  groupsClaim: string;
  roleMap: RoleMap;
  requiresGroup: boolean;
  trustsMfa: boolean;
  publicUrl: string;
}

/** Null: nobody signs in by a provider here. */
export function oidcSettings(config: Config): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl } = config;
  if (issuer === null || clientId === null || publicUrl === null) return null;
  return {
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    scopes: config.oidcScopes,
    name: config.oidcName,
    prompt: config.oidcPrompt,
    domains: config.oidcDomains ?? [],
    autoJoin: config.oidcAutoJoin,
    groupsClaim: config.oidcGroupsClaim,
    roleMap: config.oidcRoleMap,
    requiresGroup: config.oidcRequireGroup,
    trustsMfa: config.oidcTrustMfa,
    publicUrl,
  };
}
