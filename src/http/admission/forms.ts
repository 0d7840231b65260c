/** Forms, measured before they are parsed: a megabyte can hold half a million fields. */
import { Failure } from '../../core/errors.ts';

/** Decoding the escapes takes 50 ms; the browsers that send such forms send tens of kilobytes. */
const MAX_URL_ENCODED_BYTES = 2 * 1024 * 1024;
/** The forms of SDKs have five fields at most, those of uploads a few more. */
const MAX_FIELDS = 100;

const tooMany = (): Failure => new Failure('malformed', `Form parse error - more than ${MAX_FIELDS} fields`);

export function parseUrlEncoded(body: Buffer): URLSearchParams {
  if (occursMoreThan(body, '&', MAX_FIELDS - 1)) throw tooMany();
  if (body.length > MAX_URL_ENCODED_BYTES) {
    throw new Failure('too_large', `The form is larger than ${MAX_URL_ENCODED_BYTES} bytes. Send less at once.`);
  }
  return new URLSearchParams(body.toString('utf8'));
}

export async function parseMultipart(body: Buffer, contentType: string): Promise<FormData> {
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1] ?? '';
  if (boundary !== '' && occursMoreThan(body, `--${boundary}`, MAX_FIELDS + 1)) throw tooMany();
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw new Failure('malformed', `Multipart form parse error - ${(cause as Error).message}`, { cause });
  }
}

function occursMoreThan(body: Buffer, text: string, limit: number): boolean {
  let count = 0;
  for (let at = body.indexOf(text); at !== -1; at = body.indexOf(text, at + text.length)) {
    if (++count > limit) return true;
  }
  return false;
}
