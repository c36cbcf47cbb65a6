import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { numbers, untilNotified, useHomes } from "../world/two-homes.ts";
import { freshServer, NatsServer } from "./nats-server.ts";

const patienceMs = 150_000;

const homes = useHomes();

async function configure(servers: readonly NatsServer[]): Promise<void> {
  const [first] = servers;
  if (!first) throw new Error("no server");
  const [machine, person] = [await first.machine("ci-7", ["alice"]), await first.person("alice")];
  for (const server of servers.slice(1)) await server.reload();
  const addresses = servers.map(({ address }) => address);
  homes.configureEdge({ servers: addresses, creds: machine });
  homes.configureDesk([{ servers: addresses, creds: person, durable: "team_alice" }]);
}

test("three servers, and the leader is killed while events arrive", { timeout: 2 * patienceMs }, async () => {
  const servers = await NatsServer.startCluster();
  for (const server of servers) onTestFinished(() => server.remove());
  await configure(servers);
  homes.receive();
  await homes.ask("request 0");
  await untilNotified(homes, ["request 0"], patienceMs);
  const leader = servers[Number((await servers[0]?.leader())?.slice(1))];
  const fired = numbers(8)
    .slice(1)
    .map((words) => homes.ask(words));
  await leader?.signal("SIGKILL");
  await Promise.all(fired);
  await untilNotified(homes, numbers(8), patienceMs);
  await leader?.start();
  await homes.ask("request 8");
  await untilNotified(homes, numbers(9), patienceMs);
});

test("the network is cut until a delivery has failed, without notice", { timeout: 2 * patienceMs }, async () => {
  const network = new CutNetwork();
  const server = await freshServer(network.address, network.inside);
  await configure([server]);
  homes.receive();
  await homes.ask("request 0");
  await untilNotified(homes, ["request 0"], patienceMs);
  network.cut();
  for (const words of numbers(4).slice(1)) await homes.ask(words);
  await homes.until(() => homes.edgeJournal().some(({ status }) => status === "retrying"), patienceMs);
  expect(homes.words()).toEqual(["request 0"]);
  network.restore();
  await untilNotified(homes, numbers(4), patienceMs);
});

/** A separate host in a network namespace, whose cable can be unplugged, until the end of the test. */
class CutNetwork {
  readonly #name = `bk${process.pid % 100_000}`;
  readonly #net = `10.213.${process.pid % 250}`;
  readonly address = `${this.#net}.2`;
  readonly inside = ["ip", "netns", "exec", this.#name];

  constructor() {
    const [here, there] = [`${this.#name}a`, `${this.#name}b`];
    ip("netns", "add", this.#name);
    ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", this.#name);
    ip("addr", "add", `${this.#net}.1/24`, "dev", here);
    ip("link", "set", here, "up");
    ip("-n", this.#name, "addr", "add", `${this.address}/24`, "dev", there);
    ip("-n", this.#name, "link", "set", "lo", "up");
    this.restore();
    onTestFinished(() => ip("netns", "del", this.#name)); // and the cable with it
  }

  cut(): void {
    ip("-n", this.#name, "link", "set", `${this.#name}b`, "down");
  }

  restore(): void {
    ip("-n", this.#name, "link", "set", `${this.#name}b`, "up");
  }
}

function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${error?.message ?? stderr}; it needs root`);
}
