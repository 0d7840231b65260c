import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packResponse, ResponseReader } from './messages.ts';
import type { SqlResponse } from './protocol.ts';

const answered = (rows: Buffer) => ({
  answer: {
    sql: 'SELECT 1',
    columns: ['größe'],
    types: [['größe', 'String']] as [string, string][],
    rows,
    rowCount: 1,
    limit: 100,
    isLimitLowered: false,
    readsEvents: true,
    offset: 0,
    hasMore: false,
    checkMs: 1,
    runMs: 2,
  },
});

describe('a response', () => {
  it('is the same, however it is cut into pieces', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(2000)), (values, cuts) => {
        const response = answered(Buffer.from(JSON.stringify(values)));
        const packed = packResponse(response);
        const reader = new ResponseReader(1_000_000);
        const edges = [...new Set([0, ...cuts.map((cut) => cut % packed.length), packed.length])].sort((a, b) => a - b);
        const read = edges.slice(1).map((end, i) => reader.add(packed.subarray(edges[i], end)));
        expect(read.slice(0, -1).every((one) => one === null)).toBe(true);
        const whole = read.at(-1) as typeof response;
        // Texts are compared faster than bytes.
        expect(String(whole.answer.rows)).toBe(JSON.stringify(values));
        expect({ ...whole.answer, rows: null }).toEqual({ ...response.answer, rows: null });
      }),
      { numRuns: 30 },
    );
  });

  it('may have no rows', () => {
    expect(new ResponseReader(0).add(packResponse({ readyProcess: 3 }))).toEqual({ readyProcess: 3 });
    const refused: SqlResponse = { refusal: { code: 'syntax', message: 'No.', position: 3 } };
    expect(new ResponseReader(0).add(packResponse(refused))).toEqual(refused);
  });

  it('is refused as soon as it says that it is too large', () => {
    const packed = packResponse(answered(Buffer.alloc(101)));
    expect(() => new ResponseReader(100).add(packed.subarray(0, 8))).toThrow('too large');
    const endless = Buffer.alloc(8, 0xff);
    expect(() => new ResponseReader(100).add(endless)).toThrow('too large');
  });
});
