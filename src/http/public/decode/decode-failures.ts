import { Failure } from '../../../core/errors.ts';

/** The texts are part of the API: SDK authors search for them. */
export const malformed = (detail: string, cause?: unknown): Failure =>
  new Failure('invalid', `Malformed request data: ${detail}`, { code: 'invalid_payload', cause });

export const payloadTooLarge = (): Failure =>
  new Failure('too_large', 'The request is larger than this server accepts, compressed or decompressed.', {
    code: 'payload_too_large',
  });
