import { Type } from '@sinclair/typebox';
import type { FilePlan } from '../flag-files.ts';

const Open = Type.Record(Type.String(), Type.Unknown());

export const FlagFileSchema = Type.Object({
  format: Type.Integer(),
  cohorts: Type.Array(Open),
  flags: Type.Array(Open),
});

export const FlagFileRequestSchema = Type.Object({
  file: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As exported.',
    examples: [{ format: 1, flags: [] }],
  }),
  prune: Type.Optional(
    Type.Boolean({ description: 'Delete flags that the file does not have; they can be restored.' }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only plan it. Default: true without `confirm`.' })),
  confirm: Type.Optional(
    Type.String({ maxLength: 100, description: 'From the plan; 409 if something has changed since.' }),
  ),
});

export const FlagFilePlanSchema = Type.Object({
  status: Type.Union([Type.Literal('planned'), Type.Literal('applied')]),
  changes: Type.Array(
    Type.Object({
      kind: Type.Union([Type.Literal('cohort'), Type.Literal('flag')]),
      name: Type.String(),
      action: Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('delete')]),
      diff: Type.Array(Type.Object({ path: Type.String(), from: Type.Unknown(), to: Type.Unknown() })),
    }),
  ),
  unlisted: Type.Array(Type.String(), { description: 'Flags of the project that the file does not have.' }),
  needs_approval: Type.Array(Type.String(), {
    description: 'Flags whose change has to be approved: applying asks for that, and changes nothing.',
  }),
  confirm: Type.String(),
});

export const presentFilePlan = ({ changes, unlisted, needsApproval, confirm }: FilePlan) => ({
  changes,
  unlisted,
  needs_approval: needsApproval,
  confirm,
});
