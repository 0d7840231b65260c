import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import lzString from 'lz-string';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../core/errors.ts';
import { decodeRequest, type EncodedRequest } from './decode-request.ts';

const aRequest = (given: Partial<EncodedRequest> & { body?: Buffer | string }): EncodedRequest => ({
  method: 'POST',
  contentType: 'text/plain',
  contentEncoding: undefined,
  query: new URLSearchParams(),
  rawBody: Buffer.from(given.body ?? ''),
  maxBytes: 20 * 1024 * 1024,
  maxRatio: 100,
  ...given,
});

const decode = async (given: Parameters<typeof aRequest>[0]): Promise<string> =>
  (await decodeRequest(aRequest(given))).payload.toString('utf8');

const failure = async (given: Parameters<typeof aRequest>[0]): Promise<Failure> => {
  const error = await decodeRequest(aRequest(given)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw new Error(`expected a Failure, got ${String(error)}`);
  return error;
};

const form = (fields: Record<string, string>): Buffer => Buffer.from(new URLSearchParams(fields).toString());
const query = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
const FORM = 'application/x-www-form-urlencoded';
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

/** One way of wrapping JSON text that some SDK uses. */
const WRAPPINGS: Record<string, (text: string) => Partial<EncodedRequest> & { body?: Buffer | string }> = {
  'plain text': (text) => ({ body: text }),
  'json with charset': (text) => ({ body: text, contentType: 'application/json; charset=utf-8' }),
  'no content type': (text) => ({ body: text, contentType: undefined }),
  'gzip without a hint': (text) => ({ body: gzipSync(text) }),
  'gzip by query': (text) => ({ body: gzipSync(text), query: query({ compression: 'GZIP' }) }),
  'gzip-js by query': (text) => ({ body: gzipSync(text), query: query({ compression: 'gzip-js' }) }),
  'gzip by header': (text) => ({ body: gzipSync(text), contentEncoding: 'gzip' }),
  'gzip by name that a proxy undid': (text) => ({ body: text, contentEncoding: 'gzip' }),
  'lz64 by header': (text) => ({ body: lzString.compressToBase64(text), contentEncoding: 'lz64' }),
  'lz64 in a form': (text) => ({
    body: form({ data: lzString.compressToBase64(text), compression: 'lz64' }),
    contentType: FORM,
  }),
  'lz-string with plus signs lost': (text) => ({
    body: lzString.compressToBase64(text).replaceAll('+', ' '),
    query: query({ compression: 'lz-string' }),
  }),
  base64: (text) => ({ body: base64(text) }),
  'base64 without padding': (text) => ({ body: base64(text).replace(/=+$/, '') }),
  'base64 with plus signs lost': (text) => ({ body: base64(text).replaceAll('+', ' ') }),
  'base64 of gzip': (text) => ({ body: base64(gzipSync(text)) }),
  'base64 in a form': (text) => ({ body: form({ data: base64(text) }), contentType: FORM }),
  'plain in a form': (text) => ({ body: form({ data: text }), contentType: FORM }),
  'gzipped form': (text) => ({ body: gzipSync(form({ data: text })), contentType: FORM, contentEncoding: 'gzip' }),
  'query of a GET': (text) => ({ method: 'GET', query: query({ data: text }) }),
  'base64 in the query of a GET': (text) => ({ method: 'GET', query: query({ data: base64(text) }) }),
  'V1 deflate': (text) => ({ body: deflateSync(text), contentEncoding: 'deflate', protocol: 'v1' }),
  'V1 br': (text) => ({ body: brotliCompressSync(text), contentEncoding: 'br', protocol: 'v1' }),
  'V1 plain': (text) => ({ body: text, protocol: 'v1' }),
};

describe('every encoding in use', () => {
  const sample = JSON.stringify({ event: 'e 💻 ü', properties: { a: 1, long: 'x?>~'.repeat(50) } });

  it.each(Object.entries(WRAPPINGS))('reads %s', async (_name, wrap) => {
    expect(await decode(wrap(sample))).toBe(sample);
  });

  it.each(Object.entries(WRAPPINGS))('gives back any JSON object through %s', async (_name, wrap) => {
    const arbitrary = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        const text = JSON.stringify(value).toWellFormed();
        expect(await decode(wrap(text))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });
});

describe('forms', () => {
  it('hands out the other fields', async () => {
    const body = form({ data: '{"a":1}', api_key: 'k', project_id: '2', sent_at: '5' });
    const { payload, formFields } = await decodeRequest(aRequest({ body, contentType: FORM }));
    expect(payload.toString()).toBe('{"a":1}');
    expect(Object.fromEntries(formFields)).toEqual({ api_key: 'k', project_id: '2', sent_at: '5' });
  });

  it('reads multipart', async () => {
    const parts = ['data', 'api_key'].map(
      (name, i) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${['[1]', 'k'][i]}\r\n`,
    );
    const request = aRequest({ body: `${parts.join('')}--B--\r\n`, contentType: 'multipart/form-data; boundary=B' });
    const { payload, formFields } = await decodeRequest(request);
    expect([payload.toString(), formFields.get('api_key')]).toEqual(['[1]', 'k']);
  });

  it('refuses a broken multipart body', async () => {
    const broken = await failure({ body: 'nothing', contentType: 'multipart/form-data; boundary=B' });
    expect([broken.kind, broken.code]).toEqual(['invalid', 'invalid_payload']);
  });

  it('finds no data in bare JSON that claims to be a form', async () => {
    expect((await failure({ body: '{"a":1}', contentType: FORM })).code).toBe('no_data');
  });
});

describe('text', () => {
  it('joins surrogates that were encoded as three bytes each', async () => {
    const cesu = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb2, 0xbb]),
      Buffer.from('"}'),
    ]);
    expect(await decode({ body: cesu })).toBe('{"a":"💻"}');
    expect(await decode({ body: base64(cesu) })).toBe('{"a":"💻"}');
  });

  it('replaces half a pair', async () => {
    const half = Buffer.concat([Buffer.from('"'), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from('"')]);
    expect(await decode({ body: half })).toBe('"\ufffd"');
  });

  it('removes a byte order mark', async () => {
    expect(await decode({ body: '\ufeff{"a":1}' })).toBe('{"a":1}');
  });

  it('refuses other bytes that are no UTF-8', async () => {
    const broken = await failure({ body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) });
    expect([broken.kind, broken.code]).toEqual(['invalid', 'invalid_payload']);
  });

  it.each(['null', 'true', '1234', 'undefined', 'abcd'])(
    'takes the bare word %s for itself, not for base64',
    async (word) => {
      expect(await decode({ body: word })).toBe(word);
    },
  );

  it('does not copy a plain body', async () => {
    const rawBody = Buffer.from('{"a":1}');
    expect((await decodeRequest(aRequest({ rawBody }))).payload).toBe(rawBody);
  });
});

describe('what is refused', () => {
  it.each([
    ['an empty body', { body: '' }, 'no_data', /^No data found/],
    ['a GET without data', { method: 'GET' }, 'no_data', /^No data found/],
    ['gzip of nothing', { body: gzipSync('') }, 'no_data', /^No data found/],
    [
      'cut gzip',
      { body: gzipSync('{"a":1}').subarray(0, 12) },
      'invalid_payload',
      /^Malformed request data: Failed to decompress data\. ./,
    ],
    [
      'no gzip under its name',
      { body: 'zzz!', contentEncoding: 'gzip' },
      'invalid_payload',
      /^Malformed request data: Failed to decompress data\./,
    ],
    [
      'damaged lz64',
      { body: '!!!', contentEncoding: 'lz64' },
      'invalid_payload',
      /^Malformed request data: Failed to decompress data\.$/,
    ],
    [
      "the text 'undefined' as gzip",
      { body: 'undefined', query: query({ compression: 'gzip-js' }) },
      'invalid_payload',
      /literal string 'undefined'$/,
    ],
  ] as const)('%s', async (_name, given, code, detail) => {
    const refused = await failure(given);
    expect([refused.kind, refused.code]).toEqual(['invalid', code]);
    expect(refused.message).toMatch(detail);
  });

  it('a body over the limit', async () => {
    expect((await failure({ body: 'x'.repeat(11), maxBytes: 10 })).kind).toBe('too_large');
  });

  it.each(['snappy', 'zstd'])('V1: the encoding %s, where Node has none', async (contentEncoding) => {
    if (contentEncoding === 'zstd' && 'zstdDecompress' in (await import('node:zlib'))) return;
    expect((await failure({ body: 'x', contentEncoding, protocol: 'v1' })).kind).toBe('unsupported_media_type');
  });

  it('a gzip bomb, small or large, beyond what a body may unpack to', async () => {
    const maxBytes = 1024 * 1024;
    const small = gzipSync(Buffer.alloc(8 * maxBytes));
    const large = gzipSync(Buffer.alloc(120 * maxBytes));
    expect(small.length).toBeLessThan(64 * 1024);
    expect(large.length).toBeGreaterThan(64 * 1024);
    expect((await failure({ body: small, maxBytes })).kind).toBe('too_large');
    expect((await failure({ body: large, maxBytes })).kind).toBe('too_large');
  });

  it('an lz64 bomb', async () => {
    const body = lzString.compressToBase64('a'.repeat(400_000));
    expect(body.length).toBeLessThan(5_000);
    expect((await failure({ body, contentEncoding: 'lz64', maxBytes: 64 * 1024 })).kind).toBe('too_large');
  });

  it('megabytes of base64, and of spaces, which may be part of it', async () => {
    expect((await failure({ body: `${' '.repeat(5_000_000)}!` })).code).toBe('payload_too_large');
    expect((await failure({ body: Buffer.from(`[${'0,'.repeat(2_000_000)}0]`).toString('base64') })).code).toBe(
      'payload_too_large',
    );
  });

  it.each<[string, Parameters<typeof failure>[0]]>([
    ['gzip in base64 in gzip', { body: gzipSync(gzipSync('{"a":1}').toString('base64')) }],
    ['gzip in gzip', { body: gzipSync(gzipSync(gzipSync('{"a":1}').toString('base64'))) }],
    [
      'gzip in a form in gzip',
      { contentType: FORM, body: gzipSync(form({ data: gzipSync('{"a":1}').toString('base64') })) },
    ],
    [
      'gzip in lz64',
      {
        contentType: FORM,
        body: form({
          data: lzString.compressToBase64(gzipSync('{"a":1}').toString('base64')),
          compression: 'lz64',
        }),
      },
    ],
  ])('what is compressed more than once: %s', async (_name, given) => {
    expect((await failure(given)).message).toMatch(/compressed more than once|Invalid|UTF-8/);
  });

  it('what unpacks to far more than it is', async () => {
    const zeros = gzipSync(`{"a":[${'0,'.repeat(2_000_000)}0]}`);
    expect((await failure({ body: zeros })).code).toBe('payload_too_large');
    expect(await decode({ body: zeros, maxRatio: 2000 })).toContain('0,0,0');
  });

  it('forms of more than a hundred fields or two megabytes', async () => {
    expect((await failure({ contentType: FORM, body: `data=${'&a=1'.repeat(100)}` })).message).toContain('100 fields');
    expect((await failure({ contentType: FORM, body: `data=${'a'.repeat(2_100_000)}` })).kind).toBe('too_large');
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    const multipart = { contentType: 'multipart/form-data; boundary=x', body: `${part.repeat(101)}--x--\r\n` };
    expect((await failure(multipart)).message).toContain('cannot be read');
  });
});

it('unpacks what grows past a megabyte but not past the limit', async () => {
  const text = JSON.stringify(Array.from({ length: 300_000 }, (_, i) => i * 7919));
  expect(await decode({ body: gzipSync(text) })).toBe(text);
});
