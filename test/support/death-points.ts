/** Where a process that checks alerts and sends messages dies: between any two of its steps. */
export const DEATH_POINTS = [
  'before it evaluates',
  'evaluated',
  'check written, not committed',
  'deliveries written, not committed',
  'committed',
  'claimed, not sent',
  'mail about to be sent',
  'sent, not marked',
] as const;
export type DeathPoint = (typeof DEATH_POINTS)[number];
