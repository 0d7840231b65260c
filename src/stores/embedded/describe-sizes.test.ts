import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { describeSizes } from './describe-sizes.ts';

it('adds up tables and their indexes by kind, largest first, and free pages', () => {
  const database = new Database(':memory:');
  database.exec(`
    create table persons (id integer primary key, properties text);
    create index persons_by_properties on persons (properties);
    create table seen_events (uuid text primary key) without rowid;
    create table flags (key text);`);
  const person = database.prepare('insert into persons (properties) values (?)');
  for (let n = 0; n < 1000; n++) person.run(`${n} ${'x'.repeat(1000)}`);
  database.exec('delete from persons where id > 500');
  const described = describeSizes(database);
  expect(described).toMatch(/^(persons|free) \d\.\d MB, (persons|free) \d\.\d MB, /);
  expect(described).toContain('ids of events 0.0 MB');
  expect(described).toContain('other 0.0 MB');
  database.close();
});
