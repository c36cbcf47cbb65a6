import { beforeEach, expect, test } from "vitest";
import { useShared } from "../world/use.ts";
import { useHome } from "../world/use-home.ts";
import { startAlertmanagerCluster } from "./alertmanager-cluster.ts";
import type { PostedAlert } from "./alertmanager-server.ts";

// A real cluster of two nodes that do not exchange alerts.

const cluster = useShared("stop", startAlertmanagerCluster, 90_000);
const home = useHome();
beforeEach(() => {
  home.writeConfig({
    notifiers: { ops: { type: "alertmanager", servers: cluster.servers, labels: { team: "web" } } },
    delivery: { linger: "1s" },
  });
});

/** Runs an agent's hook in a separate project and session. */
async function fire(event: string, project: string, payload: object = {}): Promise<void> {
  const common = { hook_event_name: event, session_id: `session of ${project}`, cwd: `/code/${project}` };
  const { exitCode } = await home.launch([event, "--agent", "claude"], JSON.stringify({ ...common, ...payload }));
  expect(exitCode).toBe(0);
}
const ask = (project: string) =>
  fire("PermissionRequest", project, { tool_name: "Bash", tool_input: { command: "npm test" } });
const answer = (project: string) => fire("UserPromptSubmit", project, { prompt: "go on" });

const readProject = ({ labels }: PostedAlert) => labels["project"];
const patience = { timeout: 60_000, interval: 100 };

test("alerts come in groups without silenced ones, and answered requests are resolved", async () => {
  cluster.amtool("silence", "add", "project=hush", "--duration=1h", "--author=me", "--comment=not now");
  for (const project of ["hush", "shop", "blog"]) await ask(project);
  await expect
    .poll(() => cluster.notices().map((group) => group.map(readProject).sort()), patience)
    .toContainEqual(["blog", "shop"]);
  const [first] = cluster.notices().flat();
  expect(first?.labels).toMatchObject({
    alertname: "AgentNeedsYou",
    kind: "needs-you",
    agent: "claude",
    team: "web",
    session: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
  expect(first?.annotations["description"]).toContain("npm test");
  for (const node of ["one", "two"] as const) {
    const states = (await cluster.alerts(node)).map((alert) => [readProject(alert), alert.status.state]).sort();
    expect(states).toEqual([
      ["blog", "active"],
      ["hush", "suppressed"],
      ["shop", "active"],
    ]);
  }

  await answer("shop");
  const resolved = () =>
    cluster
      .notices()
      .flat()
      .filter(({ status }) => status === "resolved")
      .map(readProject);
  await expect.poll(resolved, patience).toContain("shop");
  await home.until((journal) => journal.some(({ status, project }) => status === "withdrawn" && project === "shop"));
  expect(resolved()).not.toContain("blog");
  expect(cluster.notices().flat().map(readProject)).not.toContain("hush");
}, 120_000);

test("an alert for a turn's end is resolved after an hour", async () => {
  await fire("Stop", "done");
  const alert = async () => (await cluster.alerts("one")).find((candidate) => readProject(candidate) === "done");
  await expect.poll(alert, patience).toMatchObject({ labels: { alertname: "AgentFinished" } });
  const { startsAt = "", endsAt = "" } = (await alert()) ?? {};
  const lastsMs = Date.parse(endsAt) - Date.parse(startsAt);
  expect(lastsMs).toBeGreaterThanOrEqual(3_600_000); // from its delivery
  expect(lastsMs).toBeLessThan(2 * 3_600_000);
}, 120_000);

test("an alert is delivered with one node down, as the journal says", async () => {
  await cluster.kill("two");
  await ask("half");
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  expect(journal.find(({ status }) => status === "sent")?.reason).toBe(
    `a server has not taken it: ${cluster.servers[1]} cannot be reached (ECONNREFUSED)`,
  );
  expect((await cluster.alerts("one")).map(readProject)).toContain("half");
  // After a restart the node knows the alert only once it is repeated.
  await cluster.start("two");
  await expect.poll(async () => (await cluster.alerts("two")).map(readProject), patience).toContain("half");
}, 180_000);

test("an open alert returns after both nodes and the worker were killed, and is still resolved", async () => {
  await ask("phoenix");
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  await home.killWorker();
  await cluster.kill("one", "two");
  await cluster.start("one", "two");
  expect((await cluster.alerts("one")).map(readProject)).not.toContain("phoenix");
  await ask("other"); // whose hook starts a worker
  await expect.poll(async () => (await cluster.alerts("one")).map(readProject), patience).toContain("phoenix");
  await answer("phoenix");
  await expect.poll(async () => (await cluster.alerts("one")).map(readProject), patience).not.toContain("phoenix");
  expect((await cluster.alerts("one")).map(readProject)).toContain("other");
}, 240_000);
