/** `/static/`: the browser SDK, the parts that it loads later, and `cairn.js`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../../core/errors.ts';
import { queryValues } from '../../../http/public/read-request.ts';
import { CACHE_BRIEFLY, CACHE_FOREVER, sendScript } from '../../../http/send-script.ts';
import type { Scripts } from './scripts.ts';

interface ScriptParams {
  name: string;
  version?: string;
}

/** SDKs of any version get the scripts of this one, which work with older SDKs. */
export function staticRoutes(app: FastifyInstance, scripts: Scripts): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { name, version = queryValues(request).get('v') } = request.params as ScriptParams;
    const script = await scripts.get(name);
    if (script === undefined) throw notFound();
    return sendScript(request, reply, script, version === scripts.version ? CACHE_FOREVER : CACHE_BRIEFLY);
  };
  for (const url of ['/static/:name', '/static/:version/:name']) {
    app.get(url, { schema: { hide: true } }, handler);
    app.options(url, { schema: { hide: true } }, async () => ({ status: 1 }));
  }
}
