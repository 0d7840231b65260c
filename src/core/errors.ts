/**
 * Errors, independent of HTTP: `http/errors.ts` chooses status and body.
 *
 * A `Failure` is something that the caller can understand and often correct. Anything else that is thrown is a bug: it is
 * logged, and the caller sees no details.
 */
import type { JsonObject } from './json/json.ts';

export type FailureKind =
  /** Credentials are missing or wrong. */
  | 'unauthenticated'
  /** The caller is known, but not allowed to do this. */
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  /** The body cannot be parsed: invalid JSON, an invalid form. */
  | 'malformed'
  | 'unsupported_media_type'
  | 'too_large'
  /** A field is missing or has a wrong value. */
  | 'invalid'
  /** It was changed by someone else in the meantime. */
  | 'conflict'
  /** Too many attempts; retry after `retryAfter` seconds. */
  | 'throttled'
  /** It took longer than it may. */
  | 'timeout'
  /** Not possible right now; the same request may succeed later. */
  | 'unavailable';

interface FailureOptions {
  /** The error code, where it differs from the kind's default. */
  code?: string;
  /** The field with the error; nested names are joined by `__`. */
  attr?: string;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
  /** More about it, such as the place in a text. */
  extra?: Readonly<Record<string, string | number>> | undefined;
  /** Fields of the answer beside the usual ones, where clients know them. */
  body?: JsonObject;
  cause?: unknown;
}

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly attr: string | undefined;
  readonly retryAfter: number | undefined;
  readonly extra: Readonly<Record<string, string | number>> | undefined;
  readonly body: JsonObject;

  constructor(kind: FailureKind, detail: string, options: FailureOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.code = options.code;
    this.attr = options.attr;
    this.retryAfter = options.retryAfter;
    this.extra = options.extra;
    this.body = options.body ?? {};
  }
}

export const notFound = (detail = 'Not found.'): Failure => new Failure('not_found', detail);

export const forbidden = (detail = 'You do not have permission to perform this action.'): Failure =>
  new Failure('forbidden', detail);

/** A field has a wrong value. */
export const invalid = (attr: string | undefined, detail: string, code = 'invalid_input'): Failure =>
  new Failure('invalid', detail, attr === undefined ? { code } : { code, attr });
