/** Runs Unleash and prints its address when it is ready. `UNLEASH` is the folder where it is installed. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Unleash {
  start(options: object): Promise<{ server?: { address(): { port: number } } }>;
}

const { UNLEASH = '', DATABASE_URL = '', FRONTEND_TOKEN = '' } = process.env;
const { start } = createRequire(join(UNLEASH, 'package.json'))('unleash-server') as Unleash;
const { hostname, port, username, password, pathname } = new URL(DATABASE_URL);
const { server } = await start({
  db: { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1), ssl: false },
  server: { host: '127.0.0.1', port: 0 },
  versionCheck: { enable: false },
  telemetry: false,
  logLevel: 'error',
  authentication: {
    type: 'none',
    initApiTokens: [
      { environment: 'development', projects: ['*'], secret: FRONTEND_TOKEN, type: 'frontend', tokenName: 'bench' },
    ],
  },
});
console.log(`http://127.0.0.1:${server?.address().port}`);
process.once('SIGTERM', () => process.exit(0));
