/** Which domains belong to whom: proved by an organization with a DNS record, or set by the operator. */
import { type Failure, invalid } from '../../../core/errors.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { domainOf } from './rules/email-domain.ts';
import type { OidcSettings } from './settings.ts';

interface SsoDomainDeps {
  metadata: MetadataStore;
  /** Null: there is no provider, so nothing is enforced. */
  settings: Pick<OidcSettings, 'domains' | 'autoJoin' | 'name' | 'roleMap'> | null;
}

/** A setting that names an organization which does not exist. */
export interface UnknownOrganization {
  setting: string;
  organization: string;
}

export class SsoDomains {
  readonly #deps: SsoDomainDeps;

  constructor(deps: SsoDomainDeps) {
    this.#deps = deps;
  }

  get hasProvider(): boolean {
    return this.#deps.settings !== null;
  }

  /** The organization that the settings mean where they name none. */
  async home(store: MetadataStore): Promise<string | null> {
    const named = this.#deps.settings?.autoJoin ?? null;
    const found = named === null ? await store.organizations.getOnly() : await store.organizations.get(named);
    return found?.id ?? null;
  }

  /** Nobody would join there, and nobody would be told why: for the start of the server, and for `cairn doctor`. */
  async unknownOrganizations(): Promise<UnknownOrganization[]> {
    const { autoJoin, roleMap } = this.#deps.settings ?? { autoJoin: null, roleMap: {} };
    const named = [
      ...(autoJoin === null ? [] : [{ setting: 'OIDC_AUTO_JOIN', organization: autoJoin }]),
      ...Object.values(roleMap).flatMap(({ organization }) =>
        organization === undefined ? [] : [{ setting: 'OIDC_ROLE_MAP', organization }],
      ),
    ];
    const known = await Promise.all(
      named.map(({ organization }) => this.#deps.metadata.organizations.get(organization)),
    );
    return named.filter((_, i) => known[i] === null);
  }

  /** Organizations that have proved the domain. */
  async provedBy(store: MetadataStore, domain: string): Promise<string[]> {
    const proved = await store.domains.getVerified(domain);
    const home = this.isSetByOperator(domain) ? await this.home(store) : null;
    return [...(proved ? [proved.organizationId] : []), ...(home === null ? [] : [home])];
  }

  isSetByOperator(domain: string): boolean {
    return this.#deps.settings?.domains.includes(domain) ?? false;
  }

  /** Whether new people with an address there may come in, and the organizations that they join. */
  async openTo(store: MetadataStore, domain: string): Promise<{ isOpen: boolean; joins: string[] }> {
    const proved = await store.domains.getVerified(domain);
    const isSet = this.isSetByOperator(domain);
    const autoJoin = isSet && this.#deps.settings?.autoJoin != null ? await this.home(store) : null;
    const joins = [...(proved?.autoJoin ? [proved.organizationId] : []), ...(autoJoin === null ? [] : [autoJoin])];
    return { isOpen: isSet || proved?.autoJoin === true, joins: [...new Set(joins)] };
  }

  /** Whether people with this address sign in by the provider only. The same for addresses without an account. */
  async isEnforced(email: string, store: MetadataStore = this.#deps.metadata): Promise<boolean> {
    const domain = this.hasProvider ? domainOf(email) : null;
    return domain !== null && ((await store.domains.getVerified(domain))?.enforced ?? false);
  }

  async refuseIfEnforced(email: string): Promise<void> {
    if (await this.isEnforced(email)) throw this.#enforced();
  }

  /** Those who may sign in past the provider are not refused. */
  async refuseUserIfEnforced({ email, isBreakGlass }: User): Promise<void> {
    if (!isBreakGlass) await this.refuseIfEnforced(email);
  }

  #enforced(): Failure {
    return invalid(
      undefined,
      `Your organization requires you to sign in with ${this.#deps.settings?.name ?? 'single sign-on'}.`,
      'sso_enforced',
    );
  }
}
