/**
 * Features of browser SDKs that this server does not have: they are answered with empty lists, so that no page shows an
 * error. The key is checked all the same.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryValues } from '../../../http/public/read-request.ts';
import type { SdkDeps } from './deps.ts';

const EMPTY_ANSWERS: Readonly<Record<string, object>> = {
  '/api/surveys/': { surveys: [] },
  '/api/web_experiments/': { experiments: [] },
  '/api/product_tours/': { product_tours: [] },
};

export function absentFeatureRoutes(app: FastifyInstance, deps: SdkDeps): void {
  const hide = { schema: { hide: true } };
  const answerIfKeyIsValid = async (request: FastifyRequest, answer: object): Promise<object> => {
    const query = queryValues(request);
    await deps.directory.getProject(query.get('token') ?? query.get('api_key'), query.get('project_id'), request.ip);
    return answer;
  };
  for (const [url, answer] of Object.entries(EMPTY_ANSWERS)) {
    app.get(url, hide, (request) => answerIfKeyIsValid(request, answer));
    app.options(url, hide, async () => ({ status: 1 }));
  }
  // Console logs of pages are accepted and discarded.
  app.post('/i/v1/logs', hide, (request) => answerIfKeyIsValid(request, {}));
  app.options('/i/v1/logs', hide, async () => ({ status: 1 }));
}
