import fc from 'fast-check';

/**
 * Few actors with many rows, so that every way of sorting is taken; many of one instant. They come nearly in order, or
 * as several threads would have them, or in none.
 */
export const someRows = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(3, 40, 400), fc.constantFrom('nearly', 'threads', 'none'))
  .chain(([actors, rows, order]) =>
    fc
      .array(fc.tuple(fc.nat(actors - 1), fc.nat(60), fc.nat(3)), { minLength: 0, maxLength: rows, size: 'max' })
      .map((drawn) => {
        if (order === 'threads')
          drawn.sort(([, at, thread], [, other, otherThread]) => thread - otherThread || at - other);
        return drawn.map(([actor, at], row) => ({
          actor,
          at: order === 'nearly' ? Math.floor(row / 3) * 20 + at : at,
        }));
      }),
  );
