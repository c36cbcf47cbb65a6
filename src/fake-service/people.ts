import { between, chance, pick } from "./random.ts";

/** A model that users choose. */
export interface Model {
  readonly id: string;
  readonly tier: "standard" | "thinking";
}

/** All models of the organization. */
export const models: readonly [Model, Model, Model] = [
  { id: "model-large", tier: "thinking" },
  { id: "model-medium", tier: "standard" },
  { id: "model-small", tier: "standard" },
];

/** A user of the organization, and their habits. */
export interface Person {
  readonly index: number;
  /** Seed of the service's data. */
  readonly seed: number;
  readonly id: string;
  /** E-mail address; null for about one user in 50. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly primary: Model;
  readonly secondary: Model;
  readonly delegation: string;
  readonly clients: readonly string[];
  readonly languages: readonly string[];
}

const firstNames = ["Ada", "Björn", "Chidi", "Dana", "Emi", "Fatma", "Grete", "Hugo", "Ines", "José"] as const;
const lastNames = ["Okafor", "Lindqvist", "Tanaka", "Weber", "Silva", "Novák", "O'Brien", "Haddad"] as const;
const delegations = ["auto-high", "auto-medium", "auto-medium", "auto-low", "spec", "manual"] as const;
const clients = [["terminal-ui"], ["terminal-ui", "web"], ["web"], ["non-interactive-cli", "terminal-ui"]] as const;
const languages = [["TypeScript"], ["TypeScript", "Python"], ["Go", "Rust"], ["Java"], []] as const;

/** Makes the nth user. Ids in alphabetical order are in the order of the users' numbers. */
export function makePerson(index: number, seed = 0): Person {
  const id = `user_${String(index).padStart(6, "0")}`;
  const primary = between(0, 2, seed, index, 1);
  return {
    index,
    seed,
    id,
    email: chance(seed, index, 2) < 0.02 ? null : `${id}@example.com`,
    firstName: pick(firstNames, seed, index, 3),
    lastName: pick(lastNames, seed, index, 4),
    primary: models[primary] ?? models[0],
    secondary: models[(primary + 1) % models.length] ?? models[1],
    delegation: pick(delegations, seed, index, 5),
    clients: pick<readonly string[]>(clients, seed, index, 6),
    languages: pick<readonly string[]>(languages, seed, index, 7),
  };
}
