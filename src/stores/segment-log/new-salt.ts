import { randomIds } from '../../lib/ids.ts';

export const newSalt = (): number => randomIds.seed().readUInt32LE();
