import * as z from "zod";
import { InputError } from "../../core/errors.ts";
import { readQuietly } from "../../files/read-file.ts";
import { hostToken, nameToken } from "../nats/names.ts";
import { buildRights, type User } from "../nats/rights.ts";
import { derivePublicKey } from "../nats/user-key.ts";
import { userText } from "./server-text.ts";

const shared = {
  team: z.string().regex(nameToken),
  key: z.string().regex(/^U[A-Z2-7]{55}$/),
  invitedAt: z.iso.datetime(),
  /** Expiry time; default: the user is valid until removed. */
  expiresAt: z.iso.datetime().optional(),
};
const userSchema = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("machine"),
    host: z.string().regex(hostToken),
    people: z.array(z.string().regex(nameToken)).min(1),
    ...shared,
  }),
  z.object({ role: z.literal("person"), person: z.string().regex(nameToken), ...shared }),
]);
/** An invited user. */
export type Invited = Readonly<z.output<typeof userSchema>>;

const usersSchema = z.object({ users: z.array(userSchema) });

/** Reads the invited users, without removed users. @throws {InputError} if the file is malformed */
export function readUsers(file: string): readonly Invited[] {
  const text = readQuietly(file);
  if (text === undefined) return [];
  try {
    return usersSchema.parse(JSON.parse(text)).users;
  } catch {
    throw new InputError("relay.users", `${file} is not what beckon wrote there`);
  }
}

/** Renders the users file. */
export function usersJson(users: readonly Invited[]): string {
  return `${JSON.stringify({ users }, undefined, 2)}\n`;
}

/** Returns the users that have not expired. */
export function filterCurrentUsers(users: readonly Invited[], nowMs: number): readonly Invited[] {
  return users.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > nowMs);
}

/** Describes a user: `ci-7, for alice and bob`. */
export function describeUser(user: Invited): string {
  return user.role === "person" ? `${user.person}'s own machine` : `${user.host}, for ${user.people.join(" and ")}`;
}

/**
 * Renders the users and their permissions for the server's configuration.
 * @param admin seed of the user that creates streams and consumers
 */
export function usersText(users: readonly Invited[], admin: string): string {
  const lines = [
    [
      "beckon itself, on the machine that looks after this",
      userText(derivePublicKey(admin), { publish: ["$JS.API.>"] }),
    ],
    ...users.map((user) => [describeUser(user), userText(user.key, buildRights(user satisfies User))]),
  ];
  return `# Written by beckon: \`beckon relay invite\` and \`beckon relay revoke\` change it.
users: [
${lines.map(([about, user]) => `  # ${about}\n  ${user}`).join("\n")}
]
`;
}
