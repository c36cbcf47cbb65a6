import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { type Background, background } from "../world/background.ts";
import { startReceiver } from "../world/receiver.ts";
import { freePort, serverProgram } from "../world/servers.ts";
import type { PostedAlert } from "./alertmanager-server.ts";

/** An alert as Alertmanager forwards it. */
export interface Notice extends PostedAlert {
  readonly status: "firing" | "resolved";
}

/** An alert as a node stores it. */
export interface KeptAlert extends PostedAlert {
  readonly status: { readonly state: "active" | "suppressed" | "unprocessed"; readonly silencedBy: readonly string[] };
}

const nodeNames = ["one", "two"] as const;
type NodeName = (typeof nodeNames)[number];

/** Two real Alertmanager nodes in a cluster, and the receiver to which they forward alerts in groups. */
export interface AlertmanagerCluster {
  /** Addresses of both nodes. */
  readonly servers: readonly string[];
  /** Groups sent to the receiver, in order. */
  notices(): readonly (readonly Notice[])[];
  /** Alerts stored at a node. */
  alerts(node: NodeName): Promise<readonly KeptAlert[]>;
  /** Runs `amtool` with the first node. Returns its output. */
  amtool(...args: string[]): string;
  /** Kills nodes, as `kill -9` does. */
  kill(...nodes: NodeName[]): Promise<void>;
  /** Starts nodes without any stored alerts. */
  start(...nodes: NodeName[]): Promise<void>;
  stop(): Promise<void>;
}

const config = (url: string): string => `route:
  receiver: test
  group_by: [alertname]
  group_wait: 1s
  group_interval: 1s
receivers:
  - name: test
    webhook_configs:
      - url: ${url}
`;

/** Starts both nodes and waits until each sees the other. */
export async function startAlertmanagerCluster(): Promise<AlertmanagerCluster> {
  const folder = mkdtempSync(join(tmpdir(), "beckon-alertmanager-"));
  const receiver = await startReceiver();
  writeFileSync(join(folder, "config.yml"), config(receiver.url));
  const ports = await Promise.all([0, 1, 2, 3].map(freePort));
  const [one = "", oneGossip = "", two = "", twoGossip = ""] = ports.map((port) => `127.0.0.1:${port}`);
  const addresses = { one: { web: one, gossip: oneGossip }, two: { web: two, gossip: twoGossip } };
  const programs: Record<NodeName, Background> = { one: background(), two: background() };
  const start = async (node: NodeName): Promise<void> => {
    const { web, gossip } = addresses[node];
    const peer = addresses[node === "one" ? "two" : "one"].gossip;
    const storage = mkdtempSync(join(folder, "storage-"));
    const command = buildCommand(serverProgram("prometheus-alertmanager"), [
      `--config.file=${join(folder, "config.yml")}`,
      `--storage.path=${storage}`,
      `--web.listen-address=${web}`,
      `--cluster.listen-address=${gossip}`,
      `--cluster.peer=${peer}`,
      "--cluster.peer-timeout=1s",
      "--cluster.reconnect-interval=1s",
      "--cluster.gossip-interval=50ms", // it waits ten of them, and repeats until it finds no changes
    ]);
    programs[node].start("unshare", command, { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } });
  };
  const isReady = async (node: NodeName): Promise<boolean> => {
    const reply = await fetch(`http://${addresses[node].web}/api/v2/status`).catch(() => undefined);
    const { cluster } = ((await reply?.json()) ?? {}) as { cluster?: { status: string; peers: unknown[] } };
    return cluster?.status === "ready" && cluster.peers.length === nodeNames.length;
  };
  const cluster: AlertmanagerCluster = {
    servers: nodeNames.map((node) => `http://${addresses[node].web}`),
    notices: () => receiver.received.map(({ body }) => JSON.parse(body).alerts),
    async alerts(node) {
      const reply = await fetch(`http://${addresses[node].web}/api/v2/alerts`);
      return (await reply.json()) as readonly KeptAlert[];
    },
    amtool: (...args) =>
      execFileSync(serverProgram("amtool"), [`--alertmanager.url=http://${one}`, ...args], { encoding: "utf8" }),
    kill: async (...nodes) => void (await Promise.all(nodes.map((node) => programs[node].stop("SIGKILL")))),
    async start(...nodes) {
      await Promise.all(nodes.map(start));
      for (const node of nodes) await vi.waitUntil(() => isReady(node), { timeout: 60_000, interval: 100 });
    },
    async stop() {
      await cluster.kill(...nodeNames);
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await cluster.start(...nodeNames);
  return cluster;
}

/**
 * Builds the arguments of `unshare` that start a node in a file system with its templates in `/usr/share`, as Debian's
 * program requires. A new user namespace clears the signal for the parent's death, so the arguments set it again.
 */
function buildCommand(program: string, options: readonly string[]): string[] {
  const share = join(dirname(dirname(program)), "share");
  const bind = 'mount --bind "$0" /usr/share && exec setpriv --pdeathsig KILL -- "$@"';
  return [
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    bind,
    existsSync(share) ? share : "/usr/share",
    program,
    ...options,
  ];
}
