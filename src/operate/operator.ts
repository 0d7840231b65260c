/** Everything an operator can have done, by name: the one list that the door and the command line share. */
import { backUp, noteBackup } from './backup/backup.ts';
import { checkHealth } from './check-health.ts';
import { loadDemo } from './demo.ts';
import type { OperateDeps } from './deps.ts';
import { evaluateFlag } from './evaluate-flag.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import type { Outlet } from './operation.ts';
import { createProject, findProject, listProjects, removeProject, resetProjectKey } from './projects.ts';
import { exportEvents, exportPersons } from './transfer/export.ts';
import { importLines, settleImport } from './transfer/import.ts';
import { createUser, listUsers, resetPassword, setUserActive } from './users.ts';

const OPERATIONS = {
  ping: async () => ({}),
  'keys.list': listKeys,
  'keys.create': createKey,
  'keys.revoke': revokeKey,
  'projects.list': listProjects,
  'projects.find': findProject,
  'projects.create': createProject,
  'projects.reset-key': resetProjectKey,
  'projects.delete': removeProject,
  'users.list': listUsers,
  'users.create': createUser,
  'users.set-active': setUserActive,
  'users.reset-password': resetPassword,
  backup: backUp,
  'backup.note': noteBackup,
  'export.events': exportEvents,
  'export.persons': exportPersons,
  'import.lines': importLines,
  'import.settle': settleImport,
  'flags.eval': evaluateFlag,
  check: checkHealth,
  demo: loadDemo,
} as const;

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
export type ArgsOf<N extends OperationName> =
  Parameters<Operations[N]> extends [unknown, infer A, ...unknown[]] ? A : object;
export type ResultOf<N extends OperationName> = Awaited<ReturnType<Operations[N]>>;

export interface Operator {
  run<N extends OperationName>(name: N, args: ArgsOf<N>, outlet?: Partial<Outlet>): Promise<ResultOf<N>>;
}

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** Runs operations in this process, which holds the data. */
export const localOperator = (deps: OperateDeps): Operator => ({
  run(name, args, outlet = {}) {
    const whole: Outlet = {
      progress: outlet.progress ?? (() => undefined),
      write: outlet.write ?? (async () => undefined),
      signal: outlet.signal ?? new AbortController().signal,
    };
    const operation = OPERATIONS[name] as (deps: OperateDeps, args: unknown, outlet: Outlet) => Promise<never>;
    return operation(deps, args, whole);
  },
});
