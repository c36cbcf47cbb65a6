import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installRemote } from "../../../src/cli/commands/relay/add.ts";
import { parseExpiry } from "../../../src/cli/commands/relay/invite.ts";
import { settingsFrom, type UpOptions } from "../../../src/cli/commands/relay/up.ts";
import { clusterService, relayService, serverService } from "../../../src/cli/commands/relay/user-service.ts";
import { resolvePaths } from "../../../src/files/paths.ts";
import type { ServerSettings } from "../../../src/relay/server/server-settings.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { useStubPrograms } from "../../world/stub-programs.ts";
import { useHome } from "../../world/use-home.ts";

describe("set up remote", () => {
  const home = useHome();
  const stubs = useStubPrograms();

  /** Installs at an end that only records its input. @returns the files sent to that end */
  async function install(): Promise<readonly string[]> {
    writeFileSync(join(home.paths.app, "package.json"), "{}"); // an installation has one
    const recorder = stubs.add("recorder", `cat > "$0.input"`);
    const node = { path: process.execPath, version: process.versions.node };
    await installRemote([recorder], { name: "devbox", node }, home.paths);
    const [, archive = ""] = /<<'BECKON'.*\n([\s\S]*?)BECKON\n/.exec(readFileSync(`${recorder}.input`, "utf8")) ?? [];
    const input = Buffer.from(archive, "base64");
    return execFileSync("tar", ["-tzf", "-"], { input, encoding: "utf8" }).trim().split("\n");
  }

  test.skipIf(process.platform === "win32")("files compiled for this machine are not sent to another", async () => {
    mkdirSync(join(home.paths.app, "compiled"));
    writeFileSync(join(home.paths.app, "compiled", "worker"), "of this Node");
    const files = await install();
    expect(files).toEqual(expect.arrayContaining(["dist/cli.js", "dist/worker-main.cjs", "package.json"]));
    expect(files.filter((file) => /compiled|types/.test(file))).toEqual([]);
  });
});

describe("up options", () => {
  const from = (options: UpOptions, known?: ServerSettings) => settingsFrom(options, known, { relay: freshFolder() });

  test("a server is by default for all machines that reach it", async () => {
    const expected = { team: "team", person: "alice", listen: { host: "0.0.0.0", port: 4222 }, isCluster: false };
    expect(await from({ person: "alice" })).toMatchObject(expected);
  });

  test.each<[string, UpOptions, RegExp]>([
    ["an address without a port", { listen: "localhost" }, /--listen must be HOST:PORT .* not "localhost"/],
    ["a port that is none", { listen: "localhost:70000" }, /--listen/],
    ["a name that would end the line of a file", { name: ['a"\nb'] }, /is not a server name/],
    ["a name with a port", { name: ["relay.example.org:4222"] }, /is not a server name/],
    ["a team with a dot, which parts subjects", { team: "a.b" }, /--team: "a\.b" is not a valid name/],
    ["a person with a wildcard", { person: "*" }, /--person/],
    ["two servers", { cluster: "a,b" }, /three or five servers/],
    ["three servers of which two are the same", { cluster: "a,b,a" }, /three or five servers/],
    ["a cluster with a way out of its folder", { cluster: "a,b,../c" }, /is not a server name/],
    ["a cluster with other names", { cluster: "a,b,c", name: ["d"] }, /--name cannot be combined with --cluster/],
  ])("refuses %s", async (_, options, message) => {
    await expect(from(options)).rejects.toThrow(message);
  });

  describe("for an existing server", () => {
    test("address and names may change", async () => {
      const known = await from({ person: "alice", name: ["old.example"] });
      const changed = await from({ name: ["new.example"], listen: "10.0.0.7:4223" }, known);
      expect(changed).toEqual({ ...known, names: ["new.example"], listen: { host: "10.0.0.7", port: 4223 } });
      expect(await from({}, changed)).toEqual(changed);
    });

    test.each<[string, UpOptions, RegExp]>([
      ["the team", { team: "other" }, /the team of this server is team and cannot be changed/],
      ["the person", { person: "bob" }, /the person of this server is alice/],
      ["its kind", { cluster: "a,b,c" }, /a single server cannot become a cluster/],
    ])("%s stays", async (_, options, message) => {
      const known = await from({ person: "alice", name: ["relay.example.org"] });
      await expect(from(options, known)).rejects.toThrow(message);
    });
  });

  test("an invitation is valid for hours or days", () => {
    expect([parseExpiry("12h"), parseExpiry("30d")]).toEqual([12 * 3_600_000, 30 * 24 * 3_600_000]);
    for (const wrong of ["", "0d", "30", "-1d", "1.5d", "30 d", "1y", "99999d"])
      expect(() => parseExpiry(wrong), wrong).toThrow(/must be a duration such as 12h or 30d/);
  });
});

const serviceOn = (platform: NodeJS.Platform, root = "/home/ann/.beckon", env = {}) =>
  relayService(
    { paths: resolvePaths(root), environment: { home: "/home/ann", project: "/", env, platform } },
    "/opt/node 20/bin/node",
  );

test("a systemd service runs the installed beckon, restarts it, and quotes as systemd does", () => {
  const service = serviceOn("linux", '/home/ann/100% "mine" $HOME\\b');
  expect(service?.file).toBe("/home/ann/.config/systemd/user/beckon-relay.service");
  expect(service?.text.split("\n")).toEqual(
    expect.arrayContaining([
      String.raw`ExecStart="/opt/node 20/bin/node" "/home/ann/100%% \"mine\" $$HOME\\b/app/dist/cli.js" "relay" "run"`,
      String.raw`Environment="BECKON_HOME=/home/ann/100%% \"mine\" $HOME\\b"`,
      "Restart=always",
      "WantedBy=default.target",
    ]),
  );
  expect(service?.start.at(-1)).toEqual(["systemctl", "--user", "enable", "--now", "beckon-relay.service"]);
});

test("a systemd service is in the user's configuration folder", () => {
  expect(serviceOn("linux", undefined, { XDG_CONFIG_HOME: "/cfg" })?.file).toBe(
    "/cfg/systemd/user/beckon-relay.service",
  );
});

test("a launchd agent has its words as XML texts", () => {
  const service = serviceOn("darwin", "/Users/ann/R&D <x>");
  expect(service?.file).toBe("/home/ann/Library/LaunchAgents/dev.beckon.relay.plist");
  expect(service?.text).toContain(
    "<string>/opt/node 20/bin/node</string><string>/Users/ann/R&amp;D &lt;x&gt;/app/dist/cli.js</string><string>relay</string><string>run</string>",
  );
});

describe("a NATS server's service", () => {
  const config = "/home/ann/my server/nats.conf";
  const natsOn = (platform: NodeJS.Platform) =>
    serverService(config, "/usr/sbin/nats-server", { home: "/home/ann", project: "/", env: {}, platform });

  test("is enabled in place, with a path that a shell can read", () => {
    const service = natsOn("linux");
    expect(service?.file).toBe("/home/ann/my server/beckon-nats.service");
    expect(service?.text).toContain(`ExecStart="/usr/sbin/nats-server" "-c" "${config}"`);
    expect(service?.start).toBe("systemctl --user enable --now ~/'my server/beckon-nats.service'");
  });

  test("is copied for launchd", () => {
    const service = natsOn("darwin");
    expect(service?.text).toContain("<key>Label</key><string>dev.beckon.nats</string>");
    expect(service?.start).toMatch(
      /^cp ~\/'my server\/dev\.beckon\.nats\.plist' ~\/Library\/LaunchAgents\/ && launchctl/,
    );
  });

  test("runs in its copied folder on a cluster's machine", () => {
    const { file, text } = clusterService(config);
    expect(file).toBe("/home/ann/my server/beckon-nats.service");
    expect(text).toContain(
      'ExecStart="/usr/bin/env" "nats-server" "-c" "nats.conf"\nWorkingDirectory=%h/beckon-nats\n',
    );
  });
});

test("is unknown on Windows", () => {
  expect(serviceOn("win32")).toBeUndefined();
});
