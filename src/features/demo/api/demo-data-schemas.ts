import { Type } from '@sinclair/typebox';
import type { DemoProgress } from '../demo-data.ts';

export const DemoDataSchema = Type.Object(
  {
    state: Type.Union([Type.Literal('none'), Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
    sent: Type.Integer({ description: 'Events accepted so far.' }),
    total: Type.Integer({ description: '0 until known.' }),
    problem: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'Progress of loading demo data since the server started' },
);

export const presentDemoProgress = ({ state, sent, total, problem }: DemoProgress) => ({ state, sent, total, problem });
