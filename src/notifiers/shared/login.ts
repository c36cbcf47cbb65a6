import * as z from "zod";
import { secret } from "../../core/secret.ts";
import { basic } from "./http-notifier.ts";

/** Settings for a user name and its password, beside a `token` of the notifier's own. */
export const userSettings = {
  user: z
    .string()
    .regex(/^[^:]+$/, "must not contain a colon")
    .optional()
    .describe("A user name, instead of a token."),
  password: secret(z.string().min(1)).optional().describe("The password of `user`."),
};

interface Login {
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** The header that logs in: with the token, else with the user's name; none without either. */
export function loginHeaders({ token, user, password = "" }: Login): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return user === undefined ? {} : { authorization: basic(user, password) };
}
