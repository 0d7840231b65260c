import { datePrecision, parseFlagDate, parsePropertyDate } from './flag-dates.ts';
import { getPattern, type PatternCache } from './pattern.ts';
import {
  comparableText,
  equalsIgnoringCase,
  isBooleanLike,
  isTrue,
  lowerAscii,
  lowerText,
  toNumber,
} from './property-text.ts';
import { compareVersions, isInVersionRange, parseVersion, type Version, type VersionRange } from './versions.ts';

export type ValueTest = (value: unknown, now: number) => boolean;

/** Compiles the value of a condition; null if nothing can be compared with it. */
export type MakeTest = (wanted: unknown, patterns: PatternCache) => ValueTest | null;

export const equals: MakeTest = (wanted) => {
  if (isBooleanLike(wanted)) {
    // `false` matches everything that is not true.
    const isWanted = isTrue(wanted);
    return (value) => isTrue(value) === isWanted;
  }
  const texts = (Array.isArray(wanted) ? wanted : [wanted]).map(lowerText);
  if (texts.length > MAX_LINEAR_TEXTS) return isOneOfMany(new Set(texts));
  return isOneOfFew(texts);
};

/** Up to this many texts, comparing one by one is faster than a look-up of the lower-case text. */
const MAX_LINEAR_TEXTS = 8;

function isOneOfFew(texts: readonly string[]): ValueTest {
  const [only] = texts;
  if (only !== undefined && texts.length === 1)
    return (value) => value === only || equalsIgnoringCase(comparableText(value), only);
  return (value) => {
    const text = comparableText(value);
    for (const lower of texts) if (equalsIgnoringCase(text, lower)) return true;
    return false;
  };
}

const isOneOfMany =
  (texts: ReadonlySet<string>): ValueTest =>
  (value) =>
    texts.has(lowerText(value));

const compareTexts =
  (holds: (text: string, wanted: string) => boolean): MakeTest =>
  (wanted) => {
    const lower = lowerAscii(wanted);
    // Tried on the text as it is first: the wanted text is in lower case, so a match is also one in lower case.
    return (value) => (typeof value === 'string' && holds(value, lower)) || holds(lowerAscii(value), lower);
  };

export const contains = compareTexts((text, wanted) => text.includes(wanted));
export const startsWith = compareTexts((text, wanted) => text.startsWith(wanted));
export const endsWith = compareTexts((text, wanted) => text.endsWith(wanted));

export const containsAny: MakeTest = (wanted) => {
  const parts = (Array.isArray(wanted) ? wanted : [wanted]).map(lowerAscii);
  return (value) => {
    const text = lowerAscii(value);
    return parts.some((part) => text.includes(part));
  };
};

export const searches =
  (isFound: boolean): MakeTest =>
  (wanted, patterns) => {
    const search = getPattern(patterns, comparableText(wanted));
    return search && ((value) => search(comparableText(value)) === isFound);
  };

export const compareNumbers =
  (holds: (value: number, wanted: number) => boolean): MakeTest =>
  (wanted) => {
    const number = toNumber(wanted);
    if (number === null) return null;
    return (value) => {
      const actual = toNumber(value);
      return actual !== null && holds(actual, number);
    };
  };

export const between =
  (isWanted: boolean): MakeTest =>
  (wanted) => {
    const [least, most] = Array.isArray(wanted) && wanted.length === 2 ? wanted.map(toNumber) : [];
    if (typeof least !== 'number' || typeof most !== 'number') return null;
    return (value) => {
      const actual = toNumber(value);
      return actual !== null && (actual >= least && actual <= most) === isWanted;
    };
  };

export const compareDates =
  (holds: (moment: number, wanted: number, span: number) => boolean): MakeTest =>
  (wanted) => {
    const date = parseFlagDate(wanted);
    if (date === null) return null;
    const span = datePrecision(comparableText(wanted));
    return (value, now) => {
      const moment = parsePropertyDate(value);
      return moment !== undefined && holds(moment, date(now), span);
    };
  };

export const compareToVersion =
  (holds: (order: number) => boolean): MakeTest =>
  (wanted) => {
    const version = parseVersion(wanted);
    if (version === null) return null;
    return (value) => {
      const actual = parseVersion(value);
      return actual !== null && holds(compareVersions(actual, version));
    };
  };

export const inVersionRange =
  (rangeOf: (wanted: unknown) => VersionRange | null): MakeTest =>
  (wanted) => {
    const range = rangeOf(wanted);
    if (range === null) return null;
    return (value) => {
      const actual = parseVersion(value);
      return actual !== null && isInVersionRange(actual, range);
    };
  };

export const inVersionRangeFrom = (rangeOf: (from: Version) => VersionRange): MakeTest =>
  inVersionRange((wanted) => {
    const version = parseVersion(wanted);
    return version && rangeOf(version);
  });

export const not =
  (make: MakeTest): MakeTest =>
  (wanted, patterns) => {
    const test = make(wanted, patterns);
    return test && ((value, now) => !test(value, now));
  };
