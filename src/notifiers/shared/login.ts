import * as z from "zod";
import { secret } from "../../core/secret.ts";
import { basic } from "./http-notifier.ts";

/** Settings for user name and password, next to the notifier's own `token`. */
export const userSettings = {
  user: z
    .string()
    .regex(/^[^:]+$/, "must not contain a colon")
    .optional()
    .describe("User name, instead of a token."),
  password: secret(z.string().min(1)).optional().describe("Password of `user`."),
};

interface Login {
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** Makes the login header from the token, or else from user name and password. Empty if the settings have no login. */
export function loginHeaders({ token, user, password = "" }: Login): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return user === undefined ? {} : { authorization: basic(user, password) };
}
