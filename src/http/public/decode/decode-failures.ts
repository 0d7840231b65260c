import { Failure } from '../../../core/errors.ts';

/** The body cannot be read. The texts are part of the wire: SDK authors search for them. */
export const malformed = (detail: string, cause?: unknown): Failure =>
  new Failure('invalid', `Malformed request data: ${detail}`, { code: 'invalid_payload', cause });

export const payloadTooLarge = (): Failure =>
  new Failure('too_large', 'The request is larger than this server takes, packed or unpacked.', {
    code: 'payload_too_large',
  });
