/** Sign-in by a provider (OpenID Connect): who is linked to whom, and domains of organizations. Times are ms UTC. */

/** Who somebody is at a provider; their address there says nothing about that. */
interface SsoIdentity {
  issuer: string;
  subject: string;
  userId: number;
  createdAt: number;
}

export interface SsoIdentityStore {
  /** Throws if the subject is linked, or the user has another subject of this issuer. */
  create(identity: SsoIdentity): Promise<void>;
  get(issuer: string, subject: string): Promise<SsoIdentity | null>;
  getByUser(issuer: string, userId: number): Promise<SsoIdentity | null>;
}

/** A domain of e-mail addresses that an organization claims. */
export interface OrganizationDomain {
  id: string;
  organizationId: string;
  /** In lower case. */
  domain: string;
  /** What the DNS record has to say. */
  challenge: string;
  /** Null: not proved. One organization at most has proved a domain. */
  verifiedAt: number | null;
  /** New people with an address there join the organization when they first sign in by the provider. */
  autoJoin: boolean;
  /** People with an address there sign in by the provider only. */
  enforced: boolean;
  createdAt: number;
}

export interface DomainStore {
  create(domain: OrganizationDomain): Promise<void>;
  get(organizationId: string, id: string): Promise<OrganizationDomain | null>;
  /** By name. */
  list(organizationId: string): Promise<OrganizationDomain[]>;
  /** The one that is proved. */
  getVerified(domain: string): Promise<OrganizationDomain | null>;
  update(id: string, changes: Partial<Pick<OrganizationDomain, 'verifiedAt' | 'autoJoin' | 'enforced'>>): Promise<void>;
  delete(id: string): Promise<void>;
}
