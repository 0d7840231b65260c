/**
 * A process that looks at alerts and sends messages as if it were the leader, on the PostgreSQL at DATABASE_URL. Its clock
 * runs faster: from CLOCK_BASE on, CLOCK_SPEED times.
 */
import { AlertChecks } from '../../src/features/alerts/check-alerts.ts';
import { DeliverySender } from '../../src/features/deliveries/delivery-sender.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import { Mailer } from '../../src/lib/mailer.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { openPostgresMetadataStore } from '../../src/stores/postgres/metadata-store.ts';
import { fastClock } from './fast-clock.ts';

const env = (name: string): string => process.env[name] ?? '';
const clock = fastClock(Number(env('CLOCK_BASE')), Number(env('CLOCK_SPEED')));
const { metadata } = await openPostgresMetadataStore(env('DATABASE_URL'), Date.now(), { size: 4 }, tablesOf(FEATURES));
const logger = openLog('silent');
const unused = async (): Promise<never> => {
  throw new Error('Changes of flags need no events.');
};
new AlertChecks({
  metadata,
  clock,
  ids: randomIds,
  logger,
  metrics: { startEvaluation: () => () => undefined, missed: () => undefined },
  publicUrl: null,
  questions: { answer: unused, result: unused, firstEvent: unused },
  statements: { answer: unused },
  events: { query: unused },
  dialect: { newStatement: () => unused() as never } as never,
  lagMs: async () => 0,
  freeDiskShare: unused,
}).start();
new DeliverySender({
  metadata,
  clock,
  logger,
  mailer: new Mailer({ url: env('SMTP_URL'), from: 'Cairn <cairn@example.org>', log: logger }),
  isPrivateAllowed: true,
  sendsMailAtLeastOnce: false,
}).start();
console.log('ready');
