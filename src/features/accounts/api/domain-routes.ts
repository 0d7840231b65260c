/** Domains of an organization, and whether their people sign in by the provider. Paths and shapes are PostHog's. */
import type { FastifyInstance } from 'fastify';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import { addDomain, changeDomain, deleteDomain, getDomain, verifyDomain } from '../oidc/organization-domains.ts';
import type { AccountRouteDeps } from './deps.ts';
import { DomainChangeSchema, DomainSchema, DomainWriteSchema, presentDomain } from './domain-schemas.ts';

export function domainRoutes(app: FastifyInstance, deps: AccountRouteDeps): void {
  const all = '/api/organizations/:organization_id/domains/';
  const one = `${all}:domain_id/`;
  const shared = { tag: 'domains', scope: 'organization', level: ADMIN } as const;
  organizationRoute(app, deps, {
    ...shared,
    method: 'GET',
    url: all,
    summary: 'Domains of an organization, by name',
    query: PAGE_QUERY,
    response: pageSchema(DomainSchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const items = await deps.metadata.domains.list(organization.id);
      const shown = items.slice(page.offset, page.offset + page.limit);
      return envelope(url, page, { count: items.length, items: shown }, presentDomain);
    },
  });
  organizationRoute(app, deps, {
    ...shared,
    method: 'POST',
    url: all,
    summary: 'Claim a domain; it counts once its DNS record is found',
    body: DomainWriteSchema,
    status: 201,
    response: DomainSchema,
    handler: async ({ caller, organization, body }) =>
      presentDomain(await addDomain(deps, caller, organization, body.domain)),
  });
  organizationRoute(app, deps, {
    ...shared,
    method: 'GET',
    url: one,
    summary: 'One domain',
    response: DomainSchema,
    handler: async ({ organization, params }) =>
      presentDomain(await getDomain(deps.metadata, organization, params['domain_id'] ?? '')),
  });
  organizationRoute(app, deps, {
    ...shared,
    method: 'POST',
    url: `${one}verify/`,
    summary: 'Look for the DNS record of a domain',
    response: DomainSchema,
    handler: async ({ caller, organization, params }) =>
      presentDomain(await verifyDomain(deps, caller, organization, params['domain_id'] ?? '')),
  });
  organizationRoute(app, deps, {
    ...shared,
    method: 'PATCH',
    url: one,
    summary: 'Let new people of a domain join, or require single sign-on of its people',
    body: DomainChangeSchema,
    response: DomainSchema,
    handler: async ({ caller, organization, params, body }) => {
      const { jit_provisioning_enabled: autoJoin, sso_enforcement: enforcement } = body;
      const changes = { autoJoin, enforced: enforcement === undefined ? undefined : enforcement === 'oidc' };
      return presentDomain(await changeDomain(deps, caller, organization, params['domain_id'] ?? '', changes));
    },
  });
  organizationRoute(app, deps, {
    ...shared,
    method: 'DELETE',
    url: one,
    summary: 'Remove a domain; its people sign in as they like',
    status: 204,
    handler: ({ caller, organization, params }) => deleteDomain(deps, caller, organization, params['domain_id'] ?? ''),
  });
}
