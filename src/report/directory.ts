import type { OrganizationUser } from "../service/schemas/objects.ts";
import { cleanAddress, showUser } from "./ranking.ts";

/** Id and e-mail addresses under which rows of analytics name a user. The id may be empty. */
export interface UserLabels {
  readonly id: string;
  readonly addresses: Iterable<string>;
}

/** Person whom ids and addresses belong to. */
interface Person {
  readonly labels: Set<string>;
  /** True for a current user of the organization. */
  readonly isCurrent: boolean;
  /** E-mail address in the list of the organization's users. */
  readonly name?: string;
}

/**
 * Joins the organization's users and rows of analytics by id or address. The API document does not say that their ids
 * are the same, and rows may lack the address. Two of the organization's users stay two persons, whatever they share.
 */
export class Directory {
  /** True if any id of analytics is also the id of one of the organization's users. */
  readonly sharesIds: boolean;
  readonly #people = new Map<string, Person>();

  /** @param rows labels from the rows of all periods */
  constructor(users: readonly OrganizationUser[], rows: readonly UserLabels[]) {
    const ids = new Set(users.map(({ id }) => id));
    this.sharesIds = rows.some(({ id }) => id !== "" && ids.has(id));
    for (const { id, email } of users) {
      const named = email ? { name: showUser(email, id) } : {};
      const person = { labels: new Set<string>(), isCurrent: true, ...named };
      for (const label of listLabels(id, [email])) if (!this.#people.has(label)) this.#attach(person, label);
    }
    for (const { id, addresses } of rows) {
      const labels = listLabels(id, addresses);
      const known = labels.flatMap((label) => this.#people.get(label) ?? [])[0];
      let person = known ?? { labels: new Set<string>(), isCurrent: false };
      for (const label of labels) person = this.#merge(person, label);
    }
  }

  /** Returns the key of a person, the same for each id and address of that person; empty without id and address. */
  findKey(id: string, email?: string | null): string {
    const labels = listLabels(id, [email]);
    const person = labels.flatMap((label) => this.#people.get(label) ?? [])[0];
    return [...(person?.labels ?? labels)][0] ?? "";
  }

  /** Tells if a person is a current user of the organization. */
  isCurrent(key: string): boolean {
    return this.#people.get(key)?.isCurrent ?? false;
  }

  /** Returns the address in the list of the organization's users; undefined without it. */
  findName(key: string): string | undefined {
    return this.#people.get(key)?.name;
  }

  /** Lists the addresses of a person, in lower case. */
  listAddresses(key: string): string[] {
    return [...(this.#people.get(key)?.labels ?? [])].filter(isAddress);
  }

  /** Tells if a person has this address. @param address in lower case */
  hasAddress(address: string): boolean {
    return this.#people.has(address);
  }

  #attach(person: Person, label: string): void {
    this.#people.set(label, person);
    person.labels.add(label);
  }

  /** Gives a label, and the labels that it was joined with, to someone, but never joins two current users. */
  #merge(person: Person, label: string): Person {
    const other = this.#people.get(label);
    if (other === person || (other?.isCurrent && person.isCurrent)) return person;
    const [kept, moved] = other?.isCurrent ? [other, person] : [person, other];
    for (const own of [label, ...(moved?.labels ?? [])]) this.#attach(kept, own);
    return kept;
  }
}

/** Lists the labels of a user: the id, which may be an address, then the addresses. Other texts are no addresses. */
function listLabels(id: string, addresses: Iterable<string | null | undefined>): string[] {
  const clean = [...addresses].map(cleanAddress).filter(isAddress);
  return [...(id === "" ? [] : [isAddress(id) ? cleanAddress(id) : id]), ...clean];
}

function isAddress(text: string): boolean {
  return text.includes("@");
}
