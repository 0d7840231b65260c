/** What group types are called: as people named them, else as events call them. */
import type { GroupType } from '../../api/groups.ts';

export const pluralOf = ({ name_plural, group_type }: GroupType): string => name_plural || group_type;

export const singularOf = ({ name_singular, group_type }: GroupType): string => name_singular || group_type;
