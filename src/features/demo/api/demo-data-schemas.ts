import { Type } from '@sinclair/typebox';
import type { DemoProgress } from '../demo-data.ts';

export const DemoDataSchema = Type.Object(
  {
    state: Type.Union(['none', 'running', 'done', 'failed', 'removing', 'removed'].map((state) => Type.Literal(state))),
    sent: Type.Integer({ description: 'Events accepted so far; while they are removed, visitors.' }),
    total: Type.Integer({ description: '0 until known.' }),
    problem: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'Progress of loading or removing demo data since the server started' },
);

export const presentDemoProgress = ({ state, sent, total, problem }: DemoProgress) => ({ state, sent, total, problem });
