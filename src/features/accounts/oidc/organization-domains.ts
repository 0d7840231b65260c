/** Domains of an organization: claimed, proved by a DNS record, and then the way in of their people. */
import { type Caller, requireSession } from '../../../access/callers.ts';
import { changesBetween, recordActivity } from '../../../access/record-activity.ts';
import { invalid, notFound } from '../../../core/errors.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { TxtLookUp } from '../../../lib/dns.ts';
import type { Ids } from '../../../lib/ids.ts';
import { type Organization, OWNER } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { OrganizationDomain } from '../../../stores/metadata/sso.ts';
import { countAttempt } from '../attempts.ts';
import type { Factors } from '../factors/factors.ts';
import { isDomainName } from './rules/email-domain.ts';
import type { SsoDomains } from './sso-domains.ts';

interface DomainDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  domains: SsoDomains;
  factors: Factors;
  lookUpTxt: TxtLookUp;
}

const MAX_DOMAINS = 50;
const MAX_LOOK_UPS_PER_MINUTE = 10;

/** What the DNS record of the domain has to say. */
export const recordOf = ({ challenge }: OrganizationDomain): string => `cairn-verification=${challenge}`;

export async function addDomain(
  deps: DomainDeps,
  caller: Caller,
  organization: Organization,
  given: string,
): Promise<OrganizationDomain> {
  const name = given.trim().toLowerCase();
  if (!isDomainName(name)) {
    throw invalid('domain', 'This is not a domain. Write it like example.org, without @ or https://.', 'invalid_input');
  }
  return deps.metadata.transaction(async (store) => {
    const own = await store.domains.list(organization.id);
    if (own.some(({ domain }) => domain === name)) throw invalid('domain', 'This domain is there already.', 'unique');
    if (own.length >= MAX_DOMAINS) throw invalid('domain', `An organization has ${MAX_DOMAINS} domains at most.`);
    const now = deps.clock.now();
    const domain: OrganizationDomain = {
      id: deps.ids.uuid(),
      organizationId: organization.id,
      domain: name,
      challenge: deps.ids.token(''),
      verifiedAt: (await isGivenByOperator(deps, store, organization, name)) ? now : null,
      autoJoin: false,
      enforced: false,
      createdAt: now,
    };
    await store.domains.create(domain);
    await recordActivity(deps, store, { ...activityOf(caller, domain), activity: 'created', changes: null });
    return domain;
  });
}

/** The operator's word counts as proof, unless another organization has one of its own. */
async function isGivenByOperator(
  { domains }: DomainDeps,
  store: MetadataStore,
  { id }: Organization,
  name: string,
): Promise<boolean> {
  const isHome = domains.isSetByOperator(name) && (await domains.home(store)) === id;
  return isHome && (await store.domains.getVerified(name)) === null;
}

/** Looks for the DNS record. */
export async function verifyDomain(
  deps: DomainDeps,
  caller: Caller,
  organization: Organization,
  id: string,
): Promise<OrganizationDomain> {
  const perMinute = { max: MAX_LOOK_UPS_PER_MINUTE, windowMs: MINUTE_MS };
  await countAttempt(deps, [{ name: `look-ups of ${organization.id}`, ...perMinute }]);
  const domain = await getDomain(deps.metadata, organization, id);
  if (domain.verifiedAt !== null) return domain;
  const records = await deps.lookUpTxt(domain.domain).catch(() => {
    throw invalid('domain', `The DNS of ${domain.domain} did not answer. Try again in a moment.`, 'not_verified');
  });
  if (!records.includes(recordOf(domain))) {
    const what = `a TXT record of ${domain.domain} with the value ${recordOf(domain)}`;
    throw invalid('domain', `There is not yet ${what}. New records can take some hours to be seen.`, 'not_verified');
  }
  return deps.metadata.transaction(async (store) => {
    if ((await store.domains.getVerified(domain.domain)) !== null) {
      throw invalid('domain', 'Another organization on this server has proved this domain.', 'unique');
    }
    const verifiedAt = deps.clock.now();
    await store.domains.update(id, { verifiedAt });
    await recordActivity(deps, store, { ...activityOf(caller, domain), activity: 'verified', changes: null });
    return { ...domain, verifiedAt };
  });
}

export async function changeDomain(
  deps: DomainDeps,
  caller: Caller,
  organization: Organization,
  id: string,
  given: { autoJoin: boolean | undefined; enforced: boolean | undefined },
): Promise<OrganizationDomain> {
  const before = await getDomain(deps.metadata, organization, id);
  const { autoJoin = before.autoJoin, enforced = before.enforced } = given;
  if (enforced !== before.enforced) requireSession(caller);
  const after = { ...before, autoJoin, enforced };
  if ((after.autoJoin || after.enforced) && before.verifiedAt === null) {
    throw invalid('domain', 'Prove first that the domain is yours, with the DNS record.', 'not_verified');
  }
  if (enforced && !before.enforced) await requireWayIn(deps, organization);
  await deps.metadata.transaction(async (store) => {
    await store.domains.update(id, { autoJoin, enforced });
    const changes = changesBetween('OrganizationDomain', fieldsOf(before), fieldsOf(after));
    await recordActivity(deps, store, { ...activityOf(caller, before), activity: 'updated', changes });
  });
  return after;
}

/** Without a provider nobody could sign in, and without a break-glass owner nobody while the provider is away. */
async function requireWayIn({ metadata, domains, factors }: DomainDeps, { id }: Organization): Promise<void> {
  if (!domains.hasProvider) {
    throw invalid('sso_enforcement', 'Single sign-on is not set up on this server (OIDC_ISSUER).', 'sso_not_set_up');
  }
  const { items } = await metadata.memberships.list(id, { limit: 1000, offset: 0 });
  const owners = items.filter(({ level }) => level === OWNER).map(({ userId }) => userId);
  for (const user of await metadata.users.listByIds(owners)) {
    if (user.isBreakGlass && user.isActive && user.passwordHash !== null && (await factors.isDue(user))) return;
  }
  throw invalid(
    'sso_enforcement',
    'Name an owner who can sign in while the provider is away, with password and second factor: cairn users break-glass EMAIL',
    'break_glass_needed',
  );
}

export async function deleteDomain(
  deps: DomainDeps,
  caller: Caller,
  organization: Organization,
  id: string,
): Promise<void> {
  const domain = await getDomain(deps.metadata, organization, id);
  if (domain.enforced) requireSession(caller);
  await deps.metadata.transaction(async (store) => {
    await store.domains.delete(id);
    await recordActivity(deps, store, { ...activityOf(caller, domain), activity: 'deleted', changes: null });
  });
}

export async function getDomain(
  { domains }: MetadataStore,
  organization: Organization,
  id: string,
): Promise<OrganizationDomain> {
  const domain = await domains.get(organization.id, id);
  if (!domain) throw notFound();
  return domain;
}

const fieldsOf = ({ autoJoin, enforced }: OrganizationDomain) => ({
  jit_provisioning_enabled: autoJoin,
  sso_enforcement: enforced ? 'oidc' : '',
});

const activityOf = (caller: Caller, { id, organizationId, domain }: OrganizationDomain) => ({
  organizationId,
  projectId: null,
  userId: caller.user.id,
  scope: 'OrganizationDomain',
  itemId: id,
  name: domain,
});
