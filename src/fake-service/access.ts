import { type Endpoint, takesJwt } from "../service/endpoint.ts";

/** Keys that the fake accepts: one of each role, and one whose requests all fail inside the service. */
export const keys = {
  owner: "sandbox-owner-5b1e8c7f",
  manager: "sandbox-manager-93d0ab42",
  member: "sandbox-member-c27f61e0",
  guest: "sandbox-guest-0e84d9b5",
  broken: "sandbox-broken-77aa13cd",
} as const;
/** JWT that the fake accepts, for `/api/v0` only. */
export const jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzYW5kYm94In0.c2FuZGJveA";

/** A request that the service rejects. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** Name of a key that the fake accepts, or `jwt`. */
export type Credential = keyof typeof keys | "jwt";

/** Returns the name of the key or JWT in the `authorization` header; undefined if it is unknown or absent. */
export function findCredential({ authorization = "" }: Readonly<Record<string, string>>): Credential | undefined {
  const bearer = /^Bearer (\S+)$/.exec(authorization)?.[1];
  const known = Object.entries({ ...keys, jwt }) as [Credential, string][];
  return known.find(([, value]) => value === bearer)?.[0];
}

/** Checks that a request has access. @throws {Refusal} 401, 403, or 500 for the key `broken` */
export function admit(credential: Credential | undefined, endpoint: Endpoint): void {
  if (credential === "broken") throw new Refusal(500, "Something broke inside.");
  if (credential === "jwt" && takesJwt(endpoint)) return;
  if (credential === undefined || credential === "jwt") throw new Refusal(401, "Missing or invalid API key.");
  const isAllowed = endpoint.roles?.some((role) => role.toLowerCase() === credential) ?? true;
  if (!isAllowed) throw new Refusal(403, "Manager or Owner role required.");
}
