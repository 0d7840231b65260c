/** Turns the health of a server into findings. */
import { DAY_MS, MINUTE_MS } from '../core/time/units.ts';
import type { Health } from '../operate/check-health.ts';
import { describeLoss } from '../stores/metadata/event-losses.ts';

export interface Finding {
  about: string;
  state: 'ok' | 'warning' | 'bad';
  detail: string;
  /** What to do; empty where there is nothing. */
  advice: string;
}

const MAX_BACKUP_AGE_DAYS = 8;
const MAX_LAG_MS = MINUTE_MS;
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

export const okFinding = (about: string, detail: string): Finding => ({ about, state: 'ok', detail, advice: '' });

export const checkServer = (health: Health, now: number): Finding[] => [
  ...health.stores.map(checkStoreHealth),
  checkCounts(health),
  checkLosses(health),
  checkAudit(health),
  checkSingleSignOn(health),
  checkDeadLetters(health),
  checkClock(health, now),
  checkLastBackup(health, now),
];

/** The others (ingest log, PostgreSQL, ClickHouse) have names that need no explanation. */
const STORE_LABELS: Readonly<Record<string, string>> = { metadata: 'metadata store', events: 'event store' };

const checkStoreHealth = ({ store, problem, detail }: Health['stores'][number]): Finding =>
  problem === null
    ? okFinding(STORE_LABELS[store] ?? store, detail)
    : {
        about: STORE_LABELS[store] ?? store,
        state: 'bad',
        detail: problem,
        advice: STORE_ADVICE[store] ?? RESTORE,
      };

const RESTORE = 'Stop the server, keep a copy of the data folder, and restore a backup: cairn restore FILE --replace';

const STORE_ADVICE: Readonly<Record<string, string>> = {
  sessions:
    'They are made anew before they are read again. If cairn doctor finds more of them later, please report it.',
};

function checkCounts({ counts }: Health): Finding {
  const { accepted, stored, duplicate, dropped, deadLettered, lost, pending, lagMs } = counts;
  const notStored = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const detail = `${accepted} accepted = ${stored} stored + ${duplicate} duplicate + ${notStored} dropped + ${deadLettered} dead-lettered + ${lost} lost + ${pending} waiting`;
  if (pending > 0 && lagMs > MAX_LAG_MS) {
    const advice = `The oldest has waited for ${Math.round(lagMs / 1000)} s. See the server's log for the reason.`;
    return { about: 'events', state: 'warning', detail, advice };
  }
  return pending < 0
    ? {
        about: 'events',
        state: 'bad',
        detail,
        advice: 'The counts do not add up. Keep a copy of the folder and report it.',
      }
    : okFinding('events', detail);
}

export function checkAudit({ broken_audit }: Pick<Health, 'broken_audit'>): Finding {
  const [broken] = broken_audit;
  if (broken === undefined) return okFinding('audit log', 'every entry is as it was written');
  return {
    about: 'audit log',
    state: 'bad',
    detail: `entry ${broken.number} of organization ${broken.organizationId} was changed or removed in the database`,
    advice: 'Compare it with a backup or an export of the log, and find out who has access to the database.',
  };
}

function checkSingleSignOn({ unknown_organizations }: Health): Finding {
  const [unknown] = unknown_organizations;
  if (unknown === undefined) return okFinding('single sign-on', 'its settings name no organization that is missing');
  return {
    about: 'single sign-on',
    state: 'bad',
    detail: `${unknown.setting} names the organization ${unknown.organization}, which does not exist: nobody joins it`,
    advice: 'Set it to the id of an organization: see id at /api/organizations/@current/',
  };
}

const checkLosses = ({ losses }: Health): Finding =>
  losses.length === 0
    ? okFinding('losses', 'the stores agree with each other')
    : {
        about: 'losses',
        state: 'bad',
        detail: losses.map(describeLoss).join('; '),
        advice: 'Restore a backup (cairn restore FILE --replace), or go on without them: cairn recover --accept-loss',
      };

const checkDeadLetters = ({ counts: { deadLettered } }: Health): Finding =>
  deadLettered === 0
    ? okFinding('dead letters', 'none')
    : {
        about: 'dead letters',
        state: 'warning',
        detail: `events could not be processed ${deadLettered} times`,
        advice: 'See /api/projects/ID/dead_letters/, and replay them there when the cause is fixed.',
      };

/** Events that arrived in the future mean that the clock was set back. */
function checkClock({ now: theirs, latest_event_at: latest }: Health, now: number): Finding {
  if (latest !== null && latest > theirs + MAX_CLOCK_SKEW_MS) {
    const detail = `the latest event arrived at ${new Date(latest).toISOString()}, and it is ${new Date(theirs).toISOString()} now`;
    return {
      about: 'clock',
      state: 'warning',
      detail,
      advice: 'The clock was ahead, or is behind: synchronize it with NTP.',
    };
  }
  return Math.abs(theirs - now) > MAX_CLOCK_SKEW_MS
    ? {
        about: 'clock',
        state: 'warning',
        detail: 'the server has a different time',
        advice: 'Synchronize the clock with NTP.',
      }
    : okFinding('clock', new Date(theirs).toISOString());
}

function checkLastBackup({ last_backup_at: last }: Health, now: number): Finding {
  const advice = 'Create one every day: cairn backup FILE';
  if (last === null) return { about: 'backup', state: 'warning', detail: 'none yet', advice };
  const days = Math.floor((now - Date.parse(last)) / DAY_MS);
  return days >= MAX_BACKUP_AGE_DAYS
    ? { about: 'backup', state: 'warning', detail: `the last one is ${days} days old`, advice }
    : okFinding('backup', `the last one is from ${last}`);
}
