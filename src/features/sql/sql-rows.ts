import type { SqlAnswer } from './child/protocol.ts';

export const NO_ROWS = Buffer.from('[]');

export const parseRows = ({ rows }: Pick<SqlAnswer, 'rows'>): unknown[][] => JSON.parse(rows.toString());
