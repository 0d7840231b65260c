/**
 * A process that checks alerts and sends messages as if it were the leader, on the PostgreSQL at DATABASE_URL. Its clock
 * runs faster: from CLOCK_BASE on, CLOCK_SPEED times. It kills itself at the point named by DIE_AT.
 */
import { AlertChecks } from '../../src/features/alerts/check-alerts.ts';
import { DeliverySender } from '../../src/features/deliveries/delivery-sender.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import { Mailer } from '../../src/lib/mailer.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { openPostgresMetadataStore } from '../../src/stores/postgres/metadata-store.ts';
import type { DeathPoint } from './death-points.ts';
import { fastClock } from './fast-clock.ts';

const env = (name: string): string => process.env[name] ?? '';

/** SIGKILL, if this is the point. */
async function dieAt(point: DeathPoint): Promise<void> {
  if (env('DIE_AT') !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

/** The same store, in which the process may die before or after some calls. */
function deadly(store: MetadataStore): MetadataStore {
  const { activity, alerts, deliveries } = store;
  return {
    ...store,
    activity: {
      ...activity,
      async list(...about) {
        const found = await activity.list(...about);
        await dieAt('evaluated');
        return found;
      },
    },
    alerts: {
      ...alerts,
      async createCheck(check) {
        const isNew = await alerts.createCheck(check);
        if (isNew) await dieAt('check written, not committed');
        return isNew;
      },
    },
    deliveries: {
      ...deliveries,
      async create(made) {
        const keys = await deliveries.create(made);
        if (keys.length > 0) await dieAt('deliveries written, not committed');
        return keys;
      },
      async claim(...claimed) {
        const isMine = await deliveries.claim(...claimed);
        if (isMine) await dieAt('claimed, not sent');
        return isMine;
      },
      async markSending(...marked) {
        const isMine = await deliveries.markSending(...marked);
        if (isMine) await dieAt('mail about to be sent');
        return isMine;
      },
      async finish(...ended) {
        await dieAt('sent, not marked');
        return deliveries.finish(...ended);
      },
    },
    async transaction(work) {
      let hasCheck = false;
      const result = await store.transaction((inside) => {
        const own = deadly(inside);
        const createCheck: typeof own.alerts.createCheck = async (check) => {
          hasCheck = true;
          return own.alerts.createCheck(check);
        };
        return work({ ...own, alerts: { ...own.alerts, createCheck } });
      });
      if (hasCheck) await dieAt('committed');
      return result;
    },
  };
}

const clock = fastClock(Number(env('CLOCK_BASE')), Number(env('CLOCK_SPEED')));
const opened = await openPostgresMetadataStore(env('DATABASE_URL'), Date.now(), { size: 4 }, tablesOf(FEATURES));
const metadata = deadly(opened.metadata);
const logger = openLog('silent');
const unused = async (): Promise<never> => {
  throw new Error('Changes of flags need no events.');
};
new AlertChecks({
  metadata,
  clock,
  ids: randomIds,
  logger,
  metrics: {
    startEvaluation() {
      void dieAt('before it evaluates');
      return () => undefined;
    },
    missed: () => undefined,
  },
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
