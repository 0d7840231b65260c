import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { Failure, type FailureKind, forbidden, invalid, notFound } from '../core/errors.ts';
import { errorBody, httpStatusOf, sendError } from './errors.ts';

describe('each kind', () => {
  it.each<[FailureKind, number, string, string]>([
    ['unauthenticated', 401, 'authentication_error', 'authentication_failed'],
    ['forbidden', 403, 'authentication_error', 'permission_denied'],
    ['not_found', 404, 'invalid_request', 'not_found'],
    ['method_not_allowed', 405, 'invalid_request', 'method_not_allowed'],
    ['malformed', 400, 'invalid_request', 'parse_error'],
    ['unsupported_media_type', 415, 'invalid_request', 'unsupported_media_type'],
    ['too_large', 413, 'invalid_request', 'payload_too_large'],
    ['invalid', 400, 'validation_error', 'invalid_input'],
    ['conflict', 409, 'server_error', 'conflict'],
    ['throttled', 429, 'throttled_error', 'throttled'],
    ['unavailable', 503, 'server_error', 'server_error'],
  ])('%s is %i, %s, %s', (kind, status, type, code) => {
    expect(httpStatusOf(kind)).toBe(status);
    expect(errorBody(new Failure(kind, 'Why.'))).toEqual({ type, code, detail: 'Why.', attr: null });
  });

  it('hides only the secret parameters', () => {
    expect(errorBody(invalid('name', 'Taken.', 'unique'))).toEqual({
      type: 'validation_error',
      code: 'unique',
      detail: 'Taken.',
      attr: 'name',
    });
  });

  it('has usual sentences', () => {
    expect(notFound().message).toBe('Not found.');
    expect(forbidden().message).toBe('You do not have permission to perform this action.');
  });
});

/** Sends an error and catches what would have gone out. */
function sent(error: unknown, headers: Record<string, string> = {}) {
  const log = { error: vi.fn(), warn: vi.fn() };
  const out = { status: 0, body: undefined as unknown, headers: {} as Record<string, string> };
  const reply = {
    code(status: number) {
      out.status = status;
      return reply;
    },
    header(name: string, value: string) {
      out.headers[name] = value;
      return reply;
    },
    send(body: unknown) {
      out.body = body;
      return reply;
    },
  };
  sendError(error, { log, headers } as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { ...out, log };
}

const fromFastify = (code: string, statusCode: number) =>
  Object.assign(new Error('as Fastify says'), { code, statusCode });

describe('what goes out', () => {
  it('asks for a key with 401', () => {
    expect(sent(new Failure('unauthenticated', 'Who?')).headers).toEqual({ 'www-authenticate': 'Bearer' });
  });

  it('says how long to wait', () => {
    const answer = sent(new Failure('throttled', 'Slow.', { retryAfter: 7 }));
    expect([answer.status, answer.headers]).toEqual([429, { 'retry-after': '7' }]);
  });

  it('logs unexpected errors, and answers nothing about them', () => {
    const fault = new Error('password of the database is hunter2');
    const answer = sent(fault);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      type: 'server_error',
      code: 'error',
      detail: 'A server error occurred.',
      attr: null,
    });
    expect(answer.log.error).toHaveBeenCalledWith({ err: fault }, 'unexpected error');
  });

  it.each([
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 415, 'unsupported_media_type'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 400, 'parse_error'],
    ['FST_ERR_BAD_URL', 400, 400, 'parse_error'],
    ['SOMETHING_NEW', 418, 400, 'parse_error'],
    ['SOMETHING_NEW', 500, 500, 'error'],
  ])("turns the framework's %s (%i) into %i %s", (code, statusCode, status, ours) => {
    const answer = sent(fromFastify(code, statusCode));
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, ours]);
  });

  it.each([['not an error'], [null], [undefined], [42]])('survives %j being thrown', (thrown) => {
    expect(sent(thrown).status).toBe(500);
  });
});
