/**
 * What can go wrong, without a word about HTTP: `http/errors.ts` alone chooses status and body.
 *
 * A `Failure` is something the caller can understand and often mend. Anything else that is thrown is a fault of ours:
 * it is logged whole and shown to nobody.
 */
export type FailureKind =
  /** Nobody has said who is asking, or the credentials are wrong. */
  | 'unauthenticated'
  /** We know who is asking, and they may not. */
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  /** The bytes cannot be read: broken JSON, a broken form. */
  | 'malformed'
  | 'unsupported_media_type'
  | 'too_large'
  /** Readable, but not right: a field is missing or has a wrong value. */
  | 'invalid'
  /** Somebody else changed the thing in the meantime. */
  | 'conflict'
  /** Too many attempts; come back after `retryAfter` seconds. */
  | 'throttled'
  /** We cannot at the moment; the same request may succeed later. */
  | 'unavailable';

interface FailureOptions {
  /** The machine-readable word, where it differs from the kind's usual one. */
  code?: string;
  /** The field to blame; nested names are joined by `__`. */
  attr?: string;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
  cause?: unknown;
}

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly attr: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, detail: string, options: FailureOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.code = options.code;
    this.attr = options.attr;
    this.retryAfter = options.retryAfter;
  }
}

export const notFound = (detail = 'Not found.'): Failure => new Failure('not_found', detail);

export const forbidden = (detail = 'You do not have permission to perform this action.'): Failure =>
  new Failure('forbidden', detail);

/** A field has a wrong value. `code` is `invalid_input` unless the wire has a word of its own for it. */
export const invalid = (attr: string | undefined, detail: string, code = 'invalid_input'): Failure =>
  new Failure('invalid', detail, attr === undefined ? { code } : { code, attr });
