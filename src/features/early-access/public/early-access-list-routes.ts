/** What `getEarlyAccessFeatures` of browser SDKs asks for. Opting in is an event that sets a person property. */
import type { FastifyInstance } from 'fastify';
import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import { queryValues } from '../../../http/public/read-request.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { publicStages } from '../rules/enrollment.ts';

export interface EarlyAccessListDeps extends PublicRouteDeps {
  metadata: MetadataStore;
}

const URL = '/api/early_access_features/';

export function earlyAccessListRoutes(app: FastifyInstance, { directory, metadata }: EarlyAccessListDeps): void {
  const hide = { schema: { hide: true } };
  app.get(URL, hide, async (request) => {
    const query = queryValues(request);
    const token = query.get('token') ?? query.get('api_key');
    const project = await directory.getProject(token, query.get('project_id'), request.ip);
    const { stage = [] } = request.query as { stage?: string | string[] };
    const stages = publicStages(Array.isArray(stage) ? stage : [stage]);
    const features = (await metadata.earlyAccessFeatures.listByProject(project.id)).filter((one) =>
      stages.includes(one.stage),
    );
    const flags = features.length === 0 ? [] : await metadata.flags.listByProject(project.id);
    const keys = new Map(flags.map(({ id, key }) => [id, key]));
    return {
      earlyAccessFeatures: features.map(({ id, name, description, stage, documentationUrl, payload, flagId }) => ({
        id,
        name,
        description,
        stage,
        documentationUrl,
        payload,
        flagKey: keys.get(flagId) ?? null,
      })),
    };
  });
  app.options(URL, hide, async () => ({ status: 1 }));
}
