import { comparableText } from './property-text.ts';

/** A semantic version, read leniently: `v1.2` is 1.2.0, `3.08` is 3.8.0. A fourth number and `2023-04-30` are invalid. */
export interface Version {
  core: readonly [major: number, minor: number, patch: number];
  /** How many of the three numbers were given. */
  given: number;
  preRelease: readonly string[];
}

const VERSION = /^v?(\d+)(?:\.(\d+)(?:\.(\d+))?(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?)?(?:\+[0-9a-z.-]+)?$/i;
const MAX_VERSION_LENGTH = 256;

export function parseVersion(value: unknown): Version | null {
  const text = comparableText(value).trim();
  const [whole, major, minor, patch, preRelease] = (text.length <= MAX_VERSION_LENGTH && VERSION.exec(text)) || [];
  if (whole === undefined) return null;
  const numbers = [major, minor, patch].filter((part) => part !== undefined).map(Number);
  if (!numbers.every(Number.isSafeInteger)) return null;
  const [first = 0, second = 0, third = 0] = numbers;
  return { core: [first, second, third], given: numbers.length, preRelease: preRelease?.split('.') ?? [] };
}

export function compareVersions(left: Version, right: Version): number {
  return compareCores(left.core, right.core) || comparePreReleases(left.preRelease, right.preRelease);
}

const compareCores = (left: Version['core'], right: Version['core']): number =>
  left[0] - right[0] || left[1] - right[1] || left[2] - right[2];

/** A version without a pre-release is greater than one with; otherwise part by part, numbers before words. */
function comparePreReleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const DIGITS = /^\d+$/;

function compareParts(left: string, right: string): number {
  const areNumbers = [DIGITS.test(left), DIGITS.test(right)];
  if (areNumbers[0] && areNumbers[1]) return Number(left) - Number(right);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Versions in [from, to). */
export interface VersionRange {
  from: Version;
  to: Version['core'];
}

/** `~1.2.3` allows later patches, `~1` later minor versions too. */
export function tildeRange(from: Version): VersionRange {
  const [major, minor] = from.core;
  return { from, to: from.given === 1 ? [major + 1, 0, 0] : [major, minor + 1, 0] };
}

/** `^1.2.3` allows changes after the first number that is not zero. */
export function caretRange(from: Version): VersionRange {
  const [major, minor, patch] = from.core;
  if (major > 0 || from.given === 1) return { from, to: [major + 1, 0, 0] };
  return { from, to: minor > 0 || from.given === 2 ? [0, minor + 1, 0] : [0, 0, patch + 1] };
}

const WILD = /^[*x]$/i;

/** `1.*`, `1.2.*`, or `*` for every version; null for anything else. */
export function wildcardRange(value: unknown): VersionRange | null {
  const parts = comparableText(value).trim().slice(0, MAX_VERSION_LENGTH).replace(/^v/i, '').split('.');
  const fixed = parts.slice(0, parts.findIndex((part) => WILD.test(part)) >>> 0);
  if (parts.length > 3 || !parts.slice(fixed.length).every((part) => WILD.test(part))) return null;
  if (!fixed.every((part) => DIGITS.test(part) && Number.isSafeInteger(Number(part)))) return null;
  const [major = 0, minor = 0, patch = 0] = fixed.map(Number);
  const from: Version = { core: [major, minor, patch], given: fixed.length, preRelease: [] };
  if (fixed.length === 0) return { from, to: [Infinity, 0, 0] };
  if (fixed.length === 1) return { from, to: [major + 1, 0, 0] };
  return { from, to: fixed.length === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1] };
}

/** A pre-release is in the range only if the range starts at one with the same numbers: 1.x includes no betas. */
export function isInVersionRange(version: Version, { from, to }: VersionRange): boolean {
  if (version.preRelease.length > 0 && (from.preRelease.length === 0 || compareCores(version.core, from.core) !== 0)) {
    return false;
  }
  return compareVersions(version, from) >= 0 && compareCores(version.core, to) < 0;
}
