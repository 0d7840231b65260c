/** All operations by name, for the control socket and the command line. */
import { withOrigin } from '../access/request-origin.ts';
import { annotateProject } from './annotate.ts';
import { createBackup, recordBackup } from './backup/backup.ts';
import { checkAuditLog, checkHealth } from './check-health.ts';
import { countDeadLetters, replayAllDeadLetters } from './dead-letters.ts';
import { loadDemo } from './demo.ts';
import type { OperateDeps } from './deps.ts';
import { explainFlag } from './evaluate-flag.ts';
import { fillPlaces } from './fill-places.ts';
import {
  applyFlags,
  exportFlags,
  importVendorFlags,
  promoteFlagByKey,
  rehashFlagByKey,
  typeFlags,
} from './flag-files.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { acceptOpenLosses, listOpenLosses } from './losses.ts';
import type { OperationOutput } from './operation.ts';
import { createProjectAsOwner, deleteProjectAsOwner, findProject, listProjects, resetProjectKey } from './projects.ts';
import { runSql } from './run-sql.ts';
import { exportEvents, exportPersons } from './transfer/export.ts';
import { finishImport, importLines } from './transfer/import.ts';
import {
  createResetLink,
  createUser,
  inviteUser,
  listUsers,
  resetPassword,
  setBreakGlass,
  setEmail,
  setUserActive,
  turnOffFactors,
} from './users.ts';

const OPERATIONS = {
  ping: async () => ({}),
  'keys.list': listKeys,
  'keys.create': createKey,
  'keys.revoke': revokeKey,
  'projects.list': listProjects,
  'projects.find': findProject,
  'projects.create': createProjectAsOwner,
  'projects.reset-key': resetProjectKey,
  'projects.delete': deleteProjectAsOwner,
  'users.list': listUsers,
  'users.create': createUser,
  'users.invite': inviteUser,
  'users.set-email': setEmail,
  'users.set-active': setUserActive,
  'users.reset': createResetLink,
  'users.2fa-off': turnOffFactors,
  'users.break-glass': setBreakGlass,
  'users.reset-password': resetPassword,
  backup: createBackup,
  'backup.note': recordBackup,
  'export.events': exportEvents,
  'export.persons': exportPersons,
  'geoip.fill': fillPlaces,
  'import.lines': importLines,
  'import.settle': finishImport,
  'flags.eval': explainFlag,
  'flags.export': exportFlags,
  'flags.apply': applyFlags,
  'flags.import': importVendorFlags,
  'flags.promote': promoteFlagByKey,
  'flags.rehash': rehashFlagByKey,
  'flags.types': typeFlags,
  annotate: annotateProject,
  sql: runSql,
  check: checkHealth,
  'check.audit': checkAuditLog,
  'dead-letters.count': countDeadLetters,
  'dead-letters.replay': replayAllDeadLetters,
  'losses.list': listOpenLosses,
  'losses.accept': acceptOpenLosses,
  demo: loadDemo,
} as const;

type Operations = typeof OPERATIONS;
type OperationName = keyof Operations;
type OperationArgs<N extends OperationName> =
  Parameters<Operations[N]> extends [unknown, infer A, ...unknown[]] ? A : object;
type OperationResult<N extends OperationName> = Awaited<ReturnType<Operations[N]>>;

export interface Operator {
  run<N extends OperationName>(
    name: N,
    args: OperationArgs<N>,
    outlet?: Partial<OperationOutput>,
  ): Promise<OperationResult<N>>;
}

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Runs operations in this process, which has the stores open. */
export const localOperator = (deps: OperateDeps): Operator => ({
  run(name, args, outlet = {}) {
    const complete: OperationOutput = {
      progress: outlet.progress ?? (() => undefined),
      write: outlet.write ?? (async () => undefined),
      signal: outlet.signal ?? new AbortController().signal,
    };
    const operation = OPERATIONS[name] as (deps: OperateDeps, args: unknown, outlet: OperationOutput) => Promise<never>;
    return withOrigin({ via: 'operator' }, () => operation(deps, args, complete));
  },
});
