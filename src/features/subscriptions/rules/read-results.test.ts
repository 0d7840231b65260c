import { describe, expect, it } from 'vitest';
import { readStatement } from './read-results.ts';

const WARNING = { message: 'Only events from March 2026 on (UTC) are counted.' };
const rows = (count: number) => Array.from({ length: count }, (_, i) => [`row ${i}`]);

describe('the tile of a statement', () => {
  it.each([
    ['nothing', rows(1), [], null],
    ['what is missing', rows(1), [WARNING], WARNING.message],
    ['how many rows are not shown', rows(13), [], '3 more in Cairn'],
    ['both', rows(13), [WARNING], `3 more in Cairn. ${WARNING.message}`],
  ])('notes %s', (_, results, warnings, note) => {
    expect(readStatement({ columns: ['name'], results, warnings }).note).toBe(note);
  });

  it('is one number, with what is missing', () => {
    expect(readStatement({ columns: ['n'], results: [[7]], warnings: [WARNING] })).toMatchObject({
      numbers: [{ label: 'n', value: 7 }],
      note: WARNING.message,
    });
  });
});
