/**
 * What groups of the provider give: memberships with a level, and roles. A group takes away only what a group gave. What
 * people gave is kept beside it (`ownLevel`), and the higher of the two counts.
 */
import { ADMIN, MEMBER, type MembershipLevel } from '../../../stores/metadata/accounts.ts';

/** The setting OIDC_ROLE_MAP: by name of the group. */
export type RoleMap = Readonly<Record<string, GroupGrant>>;

interface GroupGrant {
  level?: 'member' | 'admin';
  roles?: readonly string[];
  /** Id; the default organization otherwise. */
  organization?: string;
}

export interface Grant {
  level: MembershipLevel;
  /** Names of roles. */
  roles: readonly string[];
}

/** Organization → what the groups give there. The highest level counts, and all roles. */
export function grantsOf(
  groups: readonly string[],
  map: RoleMap,
  defaultOrganization: string | null,
): ReadonlyMap<string, Grant> {
  const grants = new Map<string, Grant>();
  for (const group of new Set(groups)) {
    const given = Object.hasOwn(map, group) ? map[group] : undefined;
    const organization = given?.organization ?? defaultOrganization;
    if (given === undefined || organization === null) continue;
    const level = given.level === 'admin' ? ADMIN : MEMBER;
    const before = grants.get(organization) ?? { level: MEMBER, roles: [] };
    grants.set(organization, {
      level: highest(before.level, level) ?? level,
      roles: [...new Set([...before.roles, ...(given.roles ?? [])])],
    });
  }
  return grants;
}

type LevelChange =
  | { kind: 'keep' }
  | { kind: 'add'; level: MembershipLevel }
  | { kind: 'change'; level: MembershipLevel }
  | { kind: 'remove' };

/** What becomes of a membership, if `granted` is what groups give there now. */
export function planLevel(
  current: { level: MembershipLevel; ownLevel: MembershipLevel | null } | null,
  granted: MembershipLevel | null,
): LevelChange {
  if (current === null) return granted === null ? { kind: 'keep' } : { kind: 'add', level: granted };
  const level = highest(current.ownLevel, granted);
  if (level === null) return { kind: 'remove' };
  return level === current.level ? { kind: 'keep' } : { kind: 'change', level };
}

function highest(one: MembershipLevel | null, other: MembershipLevel | null): MembershipLevel | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
