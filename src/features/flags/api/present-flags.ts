/** Flags as a caller sees them: with their users, and with what the caller may do. */

import type { Caller } from '../../../access/callers.ts';
import { getFlagPermissions } from '../../../access/flag-permissions.ts';
import { notFound } from '../../../core/errors.ts';
import { parseId } from '../../../core/parse-id.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { getFlag } from '../manage/flags.ts';
import type { FlagRouteDeps } from './deps.ts';
import { presentFlag } from './flag-schemas.ts';

/** Looks up users and permissions once for all flags. */
async function presenter(deps: FlagRouteDeps, caller: Caller, project: Project, flags: readonly FeatureFlag[]) {
  const rights = await getFlagPermissions(deps.metadata, caller, project.organizationId);
  const users = await usersById(
    deps.metadata,
    flags.flatMap((flag) => [flag.createdBy, flag.lastModifiedBy]),
  );
  const now = deps.clock.now();
  const experiments = await deps.metadata.experiments.listByProject(project.id);
  const features = await deps.metadata.earlyAccessFeatures.listByProject(project.id);
  const uses = await deps.flagLastUses.find(project.id);
  return (flag: FeatureFlag) => {
    const own = experiments.filter(({ flagId }) => flagId === flag.id).map(({ id, name }) => ({ id, name }));
    const earlyAccess = features
      .filter(({ flagId }) => flagId === flag.id)
      .map(({ id, name, stage }) => ({ id, name, stage }));
    return presentFlag(flag, { users, canEdit: rights.canEdit(flag), experiments: own, earlyAccess, uses, now });
  };
}

export async function presentFlags(
  deps: FlagRouteDeps,
  caller: Caller,
  project: Project,
  flags: readonly FeatureFlag[],
) {
  return flags.map(await presenter(deps, caller, project, flags));
}

export async function presentOneFlag(deps: FlagRouteDeps, caller: Caller, project: Project, flag: FeatureFlag) {
  const present = await presenter(deps, caller, project, [flag]);
  return present(flag);
}

/** The id in a path; anything else is not found. */
export function flagId(text: string | undefined): number {
  const id = parseId(text);
  if (id === null) throw notFound();
  return id;
}

export const flagInPath = (deps: FlagRouteDeps, project: Project, id: string | undefined): Promise<FeatureFlag> =>
  getFlag(deps.metadata, project.id, flagId(id));
