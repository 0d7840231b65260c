import { Type } from '@sinclair/typebox';

export const ErrorSchema = Type.Object(
  {
    type: Type.String(),
    code: Type.String(),
    detail: Type.String(),
    attr: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'What is wrong, and in which field.' },
);

/** Any private route may answer with these. */
export const ERROR_RESPONSES = { '4xx': ErrorSchema } as const;
