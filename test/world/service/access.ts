export const roles = ["owner", "manager", "member", "guest"] as const;
export type Role = (typeof roles)[number];

/** Keys of the sandbox: one of each role, and one whose requests all fail inside the service. */
export const keys: Readonly<Record<Role | "broken", string>> = {
  owner: "sandbox-owner-5b1e8c7f",
  manager: "sandbox-manager-93d0ab42",
  member: "sandbox-member-c27f61e0",
  guest: "sandbox-guest-0e84d9b5",
  broken: "sandbox-broken-77aa13cd",
};
/** A JWT, which only `/api/v0` accepts. */
export const jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzYW5kYm94In0.c2FuZGJveA";

/** A request that the service rejects. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

interface Rules {
  readonly roles?: readonly Role[];
  readonly takesJwt: boolean;
}

/** Checks a request's access. @throws {Refusal} 401, 403, or 500 for the key that breaks */
export function admit(authorization: string | undefined, rules: Rules): void {
  const bearer = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
  if (bearer === keys.broken) throw new Refusal(500, "Something broke inside.");
  if (bearer === jwt && rules.takesJwt) return;
  const role = roles.find((candidate) => keys[candidate] === bearer);
  if (role === undefined) throw new Refusal(401, "Missing or invalid API key.");
  if (rules.roles?.includes(role) === false) throw new Refusal(403, "Manager or Owner role required.");
}
