/** Sequences of the target continue after the source's, so that no number is used twice. */
import { type MoveSource, selectNumber } from './source.ts';
import type { MovedTable } from './tables.ts';
import type { MoveTarget } from './target.ts';

export async function continueSequences(
  source: MoveSource,
  target: MoveTarget,
  tables: readonly MovedTable[],
): Promise<void> {
  const { metadata } = source;
  const given = (table: string): number =>
    selectNumber(metadata, 'select seq from sqlite_sequence where name = ?', table);
  for (const { name, key } of tables) {
    const [column = ''] = key;
    const [row] = await target.rows<{ sequence: string | null }>('select pg_get_serial_sequence($1, $2) as sequence', [
      name,
      column,
    ]);
    if (row?.sequence) await advanceSequence(target, row.sequence, given(name));
  }
  // Reassignments, pending or done, and blocks of events share one sequence.
  await advanceSequence(
    target,
    'event_queue',
    Math.max(given('person_refilings'), await source.events.reassignmentPosition()),
  );
  await advanceSequence(target, 'person_changes', selectNumber(metadata, 'select change from person_change'));
  const shipped = await target.getMark<{ position: number }>('shipment');
  await advanceSequence(target, 'shipment_numbers', shipped?.position ?? 0);
}

/** Never backwards. An unused sequence has its first number as its last value. */
async function advanceSequence(target: MoveTarget, sequence: string, last: number): Promise<void> {
  if (last < 1) return;
  await target.client.query(`select setval($1::regclass, $2) where $2 >= (select last_value from ${sequence})`, [
    sequence,
    last,
  ]);
}
