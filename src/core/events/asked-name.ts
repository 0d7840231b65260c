export interface UsedName {
  kind: 'event' | 'event_property' | 'person_property' | 'group_property';
  /** −1 where it is no property of a group. */
  groupTypeIndex: number;
  name: string;
}
