import { describe, expect, it } from 'vitest';
import { suggest, wordAt } from './completion.ts';

const SCHEMA = {
  tables: [
    { name: 'events', columns: [{ name: 'event' }, { name: '$browser' }, { name: 'timestamp' }] },
    { name: 'persons', columns: [{ name: 'id' }, { name: 'is_identified' }] },
  ],
  functions: ['count', 'countIf', 'toStartOfDay'],
};
const texts = (sql: string, word: string) => suggest(SCHEMA, sql, word).map(({ text }) => text);

describe('completion', () => {
  it.each([
    ['select ev', 9, 'ev'],
    ['select "$br', 11, '"$br'],
    ['select 1 ', 9, ''],
  ])('finds the name at the cursor of %j', (sql, cursor, word) => {
    expect(wordAt(sql, cursor)).toEqual({ from: cursor - word.length, word });
  });

  it.each(["select 'ev", 'select 1 -- ev'])('leaves texts and comments alone: %j', (sql) => {
    expect(wordAt(sql, sql.length)).toBeNull();
  });

  it('suggests columns of the tables that are used, quoted where they have to be', () => {
    expect(texts('select ti from events', 'ti')).toEqual(['timestamp']);
    expect(texts('select br from events', 'br')).toEqual(['"$browser"']);
    expect(texts('select is from events', 'is')).toEqual(['is null', 'is not null']);
  });

  it('suggests tables, keywords and functions', () => {
    expect(texts('select cou', 'cou')).toEqual(['count(', 'countIf(']);
    expect(texts('select 1 from pe', 'pe')).toEqual(['persons']);
    expect(texts('', '')).toEqual([]);
  });
});
