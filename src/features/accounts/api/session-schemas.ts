import { Type } from '@sinclair/typebox';
import { UserSummarySchema } from '../../../http/schemas/common.ts';

const Email = Type.String({ format: 'email', minLength: 1, maxLength: 254 });
const Password = Type.String({ minLength: 1, maxLength: 1000, keepSpaces: true });

export const SignInSchema = Type.Object({ email: Email, password: Password });

export const SetUpSchema = Type.Object({
  token: Type.String({ minLength: 1 }),
  email: Email,
  password: Password,
  first_name: Type.Optional(Type.String({ maxLength: 150 })),
});

export const SignedInSchema = Type.Object({ success: Type.Boolean(), user: UserSummarySchema });
