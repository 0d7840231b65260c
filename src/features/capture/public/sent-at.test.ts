import { describe, expect, it } from 'vitest';
import { Failure } from '../../../core/errors.ts';
import { sentAtOf } from './sent-at.ts';

const at = (query: Record<string, string>, body?: unknown, form?: string) =>
  sentAtOf({ query: new URLSearchParams(query), body, form });

describe('sentAtOf', () => {
  it.each([
    ['nothing', {}, undefined, undefined, null],
    ['empty values', { _: '' }, '', '', null],
    ['milliseconds in the query', { _: '1694769302325' }, undefined, undefined, 1694769302325],
    ['seconds in the query', { _: '1694769302' }, undefined, undefined, 1694769302000],
    ['seconds with decimals', { _: '1694769302.325' }, undefined, undefined, 1694769302325],
    ['a date in the query', { _: '2023-01-01T12:00:00Z' }, undefined, undefined, Date.UTC(2023, 0, 1, 12)],
    ['its newer name', { sent_at: '1694769302325' }, undefined, undefined, 1694769302325],
    ['a date in the body', {}, '2023-01-01T12:00:00+02:00', undefined, Date.UTC(2023, 0, 1, 10)],
    ['the query before the body', { _: '1694769302325' }, '2023-01-01T12:00:00Z', undefined, 1694769302325],
    ['the body before the form', {}, '2023-01-01T12:00:00Z', '1694769302325', Date.UTC(2023, 0, 1, 12)],
    ['the form', {}, undefined, '1694769302325', 1694769302325],
  ])('reads %s', (_name, query, body, form, expected) => {
    expect(at(query as Record<string, string>, body, form)).toBe(expected);
  });

  it.each([['not a date'], [5], [true], [{}]])('refuses %s in the body', (body) => {
    expect(() => at({}, body)).toThrow(Failure);
    expect(() => at({}, body)).toThrow(/^Malformed request data, invalid sent at: ./);
  });

  it('refuses nonsense in the query', () => {
    expect(() => at({ _: 'soon' })).toThrow("Malformed request data, invalid sent at: 'soon' is not a date");
    expect(() => at({ _: '9'.repeat(40) })).toThrow(Failure);
  });
});
