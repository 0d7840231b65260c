/** Flags as a caller sees them: with the people behind them, and what the caller may do. */
import { notFound } from '../../core/errors.ts';
import type { Caller } from '../../manage/callers.ts';
import { rightsOf } from '../../manage/flag-access.ts';
import { findFlag } from '../../manage/flags.ts';
import type { FeatureFlag } from '../../stores/flag-records.ts';
import type { Project } from '../../stores/records.ts';
import { presentFlag } from '../schemas/feature-flag.ts';
import { usersById } from './activity.ts';
import type { ApiDeps } from './deps.ts';

/** How this caller sees these flags; what belongs to them is looked up once for all. */
async function presenter(deps: ApiDeps, caller: Caller, project: Project, flags: readonly FeatureFlag[]) {
  const rights = await rightsOf(deps.metadata, caller, project.organizationId);
  const users = await usersById(
    deps.metadata,
    flags.flatMap((flag) => [flag.createdBy, flag.lastModifiedBy]),
  );
  const now = deps.clock.now();
  return (flag: FeatureFlag) => presentFlag(flag, users, rights.canEdit(flag), now);
}

export async function showFlags(deps: ApiDeps, caller: Caller, project: Project, flags: readonly FeatureFlag[]) {
  return flags.map(await presenter(deps, caller, project, flags));
}

export async function showFlag(deps: ApiDeps, caller: Caller, project: Project, flag: FeatureFlag) {
  const present = await presenter(deps, caller, project, [flag]);
  return present(flag);
}

/** The id in a path; a text that is none names nothing. */
export function flagId(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

export const flagInPath = (deps: ApiDeps, project: Project, id: string | undefined): Promise<FeatureFlag> =>
  findFlag(deps.metadata, project.id, flagId(id));
