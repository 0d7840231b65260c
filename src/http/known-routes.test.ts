import { expect, it } from 'vitest';
import { KnownRoutes } from './known-routes.ts';

it('knows the methods of a path, with or without a trailing slash', () => {
  const known = new KnownRoutes();
  known.add('/api/projects/', ['GET', 'POST']);
  known.add('/api/projects/:id/', 'PATCH');
  expect(known.methodsFor('/api/projects')).toEqual(new Set(['GET', 'POST']));
  expect(known.methodsFor('/api/projects/7/')).toEqual(new Set(['PATCH']));
  expect(known.methodsFor('/api/projects/7/more/')).toEqual(new Set());
  expect(known.methodsFor('/')).toEqual(new Set());
});

it('knows when a more specific route matches', () => {
  const known = new KnownRoutes();
  known.add('/api/things/', 'GET');
  known.add('/api/things/activity/', 'GET');
  known.add('/api/things/:id/', 'PATCH');
  expect(known.hasMoreSpecific('/api/things/:id/', '/api/things/activity')).toBe(true);
  expect(known.hasMoreSpecific('/api/things/:id/', '/api/things/7/')).toBe(false);
  expect(known.hasMoreSpecific('/api/things/activity/', '/api/things/activity/')).toBe(false);
  known.add('/api/:project/things/:id/', 'GET');
  known.add('/api/:project/things/list/', 'GET');
  known.add('/api/:project/others/list/', 'GET');
  const isReserved = (path: string): boolean => known.hasMoreSpecific('/api/:project/things/:id/', path);
  expect(['/api/1/things/list/', '/api/1/things/7/', '/api/1/things/others/'].map(isReserved)).toEqual([
    true,
    false,
    false,
  ]);
  known.add('/api/:project/things/others/', 'GET');
  expect(isReserved('/api/1/things/others/')).toBe(true);
});
