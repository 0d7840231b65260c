/** The baseline: a Fastify server that parses the same bodies and answers the same, and does nothing else. */
import { fastify } from 'fastify';

const app = fastify({ bodyLimit: 20 * 1024 * 1024 });
app.post('/capture/', async () => ({ status: 1 }));
app.post('/batch/', async () => ({ status: 1 }));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
process.once('SIGTERM', () => process.exit(0));
