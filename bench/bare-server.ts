/** The baseline: a Fastify server that parses the same bodies and answers the same, and does nothing else. */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const app = fastify({ bodyLimit: 20 * 1024 * 1024 });
app.post('/capture/', async () => ({ status: 1 }));
app.post('/batch/', async () => ({ status: 1 }));
// A JSON file: for each path, the real server's response to one request.
const answers = process.env['ANSWERS'];
if (answers !== undefined) {
  for (const [path, answer] of Object.entries<object>(JSON.parse(readFileSync(answers, 'utf8')))) {
    app.route({ method: ['GET', 'POST'], url: path, handler: async () => answer });
  }
}
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.once('SIGTERM', () => process.exit(0));
