/** Web vitals: the limits up to which a value is good, and up to which it needs improvement. */
export const VITALS = {
  LCP: [2500, 4000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
  FCP: [1800, 3000],
} as const;

export type VitalName = keyof typeof VITALS;
type VitalBand = 'good' | 'needs_improvements' | 'poor';

/** A value at the limit is still in the better band. */
export function vitalBand(name: VitalName, value: number): VitalBand {
  const [good, fair] = VITALS[name];
  if (value <= good) return 'good';
  return value <= fair ? 'needs_improvements' : 'poor';
}
