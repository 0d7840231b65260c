/** An event or property name that an insight uses. */
export interface UsedName {
  kind: 'event' | 'event_property' | 'person_property' | 'group_property';
  /** −1 for other kinds. */
  groupTypeIndex: number;
  name: string;
}
