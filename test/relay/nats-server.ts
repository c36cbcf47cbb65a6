import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { onTestFinished } from "vitest";
import { type MachineCredentials, newUserKey, type PersonCredentials } from "../../src/relay/nats/credentials.ts";
import { ensureObjects, ensureReceiver, type Sizes } from "../../src/relay/nats/ensure-streams.ts";
import { sessionsBucket, streamName } from "../../src/relay/nats/names.ts";
import { readBucket } from "../../src/relay/nats/read-bucket.ts";
import { listSubjects, type User } from "../../src/relay/server/users.ts";
import { sleep } from "../world/home.ts";
import { freePort, serverProgram } from "../world/servers.ts";

type UserKey = ReturnType<typeof newUserKey>;

/** Address of the server, and the command that starts programs there. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly inside: readonly string[];
  /** Further lines of its configuration. */
  readonly more: string;
}

const sizes: Sizes = { replicas: 1, maxBytes: 256 * 1024 * 1024 };

/** Starts a server that is removed when the requesting test, or the test of its `beforeEach`, has ended. */
export async function freshServer(...place: Parameters<typeof NatsServer.start>): Promise<NatsServer> {
  const server = await NatsServer.start(...place);
  onTestFinished(() => server.remove());
  return server;
}

/** A real NATS server with beckon's stream and buckets, and users with beckon's rights. */
export class NatsServer {
  readonly folder = mkdtempSync(join(tmpdir(), "beckon-nats-"));
  readonly address: string;
  readonly #place: Place;
  readonly #admin: UserKey;
  readonly #users: User[];
  #child: ChildProcess | undefined;

  private constructor(place: Place, users: User[] = [], admin = newUserKey()) {
    this.#place = place;
    this.address = `nats://${place.host}:${place.port}`;
    this.#users = users;
    this.#admin = admin;
    this.#writeConfig();
  }

  /** Starts a server on loopback or in a namespace, for which `inside` is the command that starts programs there. */
  static async start(host = "127.0.0.1", inside: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer({ host, inside, port: host === "127.0.0.1" ? await freePort() : 4222, more: "" });
    await server.start();
    await server.asAdmin((connection) => ensureObjects(connection, sizes));
    return server;
  }

  /** Starts three servers that replicate each event. The first server adds users for all three. */
  static async startCluster(): Promise<readonly NatsServer[]> {
    const ports = await Promise.all([0, 1, 2].map(freePort));
    const routePorts = await Promise.all([0, 1, 2].map(freePort));
    const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`).join(", ");
    const users: User[] = [];
    const admin = newUserKey();
    const servers = ports.map((port, index) => {
      const cluster = `name: test, listen: "127.0.0.1:${routePorts[index]}", routes: [${routes}]`;
      const more = `server_name: n${index}\ncluster { ${cluster} }`;
      return new NatsServer({ host: "127.0.0.1", inside: [], port, more }, users, admin);
    });
    await Promise.all(servers.map((server) => server.start()));
    for (const deadline = Date.now() + 30_000; ; await sleep(200)) {
      try {
        await servers[0]?.asAdmin((connection) => ensureObjects(connection, { ...sizes, replicas: 3 }));
        return servers;
      } catch (error) {
        if (Date.now() > deadline) throw error; // discovery takes a while
      }
    }
  }

  /** Returns the name of the leader for a cluster's stream. */
  leader(): Promise<string | undefined> {
    return this.#asked(async (streams) => (await streams.info(streamName)).cluster?.leader);
  }

  get pid(): number {
    return this.#child?.pid ?? Number.NaN;
  }

  /** Starts or restarts the server, and waits until it answers. */
  async start(): Promise<void> {
    const command = [serverProgram("nats-server"), "-c", join(this.folder, "nats.conf")];
    const [file = "", ...args] = [...this.#place.inside, ...command];
    this.#child = spawn(file, args, { stdio: "ignore" });
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      try {
        return await this.asAdmin((connection) => connection.flush());
      } catch (error) {
        if (Date.now() > deadline || this.#child.exitCode !== null) throw error;
      }
    }
  }

  /** Sends the server a signal; `SIGKILL` ends it as a power cut of the process would. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    if (["SIGKILL", "SIGTERM", "SIGINT"].includes(signal)) await exited;
  }

  /** Adds a machine with agents that notifies these people. Returns its credentials, JSON. */
  async machine(host: string, people: readonly string[]): Promise<string> {
    const [credentials = ""] = await this.machines([host], people);
    return credentials;
  }

  /** Adds many machines at once. */
  async machines(hosts: readonly string[], people: readonly string[]): Promise<string[]> {
    const made = hosts.map((host) => {
      const { seed, key } = newUserKey();
      const who = { role: "machine" as const, team: "team", host, people: [...people] };
      this.#users.push({ ...who, key });
      const credentials: MachineCredentials = { beckon: 1, ...who, seed };
      return JSON.stringify(credentials);
    });
    await this.reload();
    for (const person of people)
      await this.asAdmin((connection) => ensureReceiver(connection, { team: "team", person }));
    return made;
  }

  /** Adds a user's own machine. Returns its credentials, JSON. */
  async person(person: string, identity?: string): Promise<string> {
    const { seed, key } = newUserKey();
    const who = { role: "person", team: "team", person } as const;
    this.#users.push({ ...who, key });
    await this.reload();
    await this.asAdmin((connection) => ensureReceiver(connection, { team: "team", person }));
    const credentials: PersonCredentials = { beckon: 1, ...who, seed, identity };
    return JSON.stringify(credentials);
  }

  /** Makes the settings of the notifier on a machine that notifies these people. */
  async edge(host: string, people: readonly string[], seal?: string) {
    return { servers: [this.address], creds: await this.machine(host, people), seal };
  }

  /** Makes the entry for the server in a user's configuration. */
  async source(person: string, identity?: string) {
    return { servers: [this.address], creds: await this.person(person, identity), durable: `team_${person}` };
  }

  /** Revokes a user's access, as `relay revoke` does. */
  async revoke(isMeant: (user: User) => boolean): Promise<void> {
    this.#users.splice(0, this.#users.length, ...this.#users.filter((user) => !isMeant(user)));
    await this.reload();
  }

  /** Counts the events that wait for anybody. */
  waiting(): Promise<number> {
    return this.#asked(async (streams) => (await streams.info(streamName)).state.messages);
  }

  /** Returns the part of the waiting events that the server can read. */
  texts(): Promise<string> {
    return this.#asked(async (streams) => {
      const { first_seq, last_seq } = (await streams.info(streamName)).state;
      const texts: string[] = [];
      for (let seq = first_seq; seq <= last_seq; seq += 1)
        texts.push((await streams.getMessage(streamName, { seq }))?.string() ?? "");
      return texts.join("\n");
    });
  }

  /** Limits the number of waiting events of a kind for a user. */
  limit(count: number): Promise<void> {
    return this.#asked(async (streams) => void (await streams.update(streamName, { max_msgs_per_subject: count })));
  }

  /** Returns the team's shared sessions: values by key, as the server can read them. */
  shared(): Promise<Record<string, string>> {
    return this.asAdmin(async (connection) => {
      const found: Record<string, string> = {};
      const asked = { bucket: sessionsBucket, keys: ">", isLive: false };
      for await (const { key, value } of readBucket(connection, this.#admin, asked))
        if (value) found[key] = Buffer.from(value).toString("utf8");
      return found;
    });
  }

  /** Reads or changes streams as the admin. */
  #asked<Result>(act: (streams: JetStreamManager["streams"]) => Promise<Result>): Promise<Result> {
    return this.asAdmin(async (connection) => act((await jetstreamManager(connection)).streams));
  }

  async asAdmin<Result>(act: (connection: NatsConnection) => Promise<Result>): Promise<Result> {
    const authenticator = nkeyAuthenticator(new TextEncoder().encode(this.#admin.seed));
    const connection = await connect({ servers: this.address, authenticator, reconnect: false, timeout: 5_000 });
    try {
      return await act(connection);
    } finally {
      await connection.close();
    }
  }

  async remove(): Promise<void> {
    await this.signal("SIGCONT");
    await this.signal("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes the server reload its users, and waits until its log confirms it. */
  async reload(): Promise<void> {
    const before = this.#reloads();
    this.#writeConfig();
    if (this.#child?.exitCode !== null || this.#child.signalCode !== null) return;
    await this.signal("SIGHUP");
    for (const deadline = Date.now() + 20_000; this.#reloads() <= before; await sleep(20)) {
      if (Date.now() > deadline) throw new Error("it did not reload its configuration");
    }
  }

  #reloads(): number {
    return readFileSync(this.#logFile, "utf8").split("Reloaded server configuration").length;
  }

  get #logFile(): string {
    return join(this.folder, "nats.log");
  }

  #writeConfig(): void {
    const users = this.#users.map((user) => {
      const permissions = `publish: ${JSON.stringify(listSubjects(user))}, subscribe: "_INBOX.${user.key}.>"`;
      return `    { nkey: ${user.key}, permissions: { ${permissions} } }`;
    });
    const text = `log_file: ${JSON.stringify(this.#logFile)}
listen: "${this.#place.host}:${this.#place.port}"
${this.#place.more}
jetstream { store_dir: ${JSON.stringify(join(this.folder, "store"))}, sync_interval: always }
authorization {
  users: [
    { nkey: ${this.#admin.key} }
${users.join("\n")}
  ]
}
`;
    writeFileSync(join(this.folder, "nats.conf"), text);
  }
}
