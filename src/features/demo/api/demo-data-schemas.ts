import { Type } from '@sinclair/typebox';
import type { DemoProgress } from '../demo-data.ts';

export const DemoDataSchema = Type.Object(
  {
    state: Type.Union([Type.Literal('none'), Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
    sent: Type.Integer({ description: 'Events that are on disk; they can be read a moment later.' }),
    total: Type.Integer({ description: '0 until it is known.' }),
    problem: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'How far the loading of demo data is, since the server started' },
);

export const presentDemoProgress = ({ state, sent, total, problem }: DemoProgress) => ({ state, sent, total, problem });
