import { Type } from '@sinclair/typebox';

export const ErrorSchema = Type.Object(
  {
    type: Type.String(),
    code: Type.String(),
    detail: Type.String(),
    attr: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'What was wrong, and which field is to blame.' },
);

/** The answers any private route may give instead of its own. */
export const ERROR_RESPONSES = { '4xx': ErrorSchema } as const;
