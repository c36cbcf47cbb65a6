import { expect, test } from "vitest";
import { relayService } from "../../../src/cli/commands/relay/user-service.ts";
import { pathsOf } from "../../../src/core/paths.ts";

const serviceOn = (platform: NodeJS.Platform, root = "/home/ann/.beckon", env = {}) =>
  relayService(
    { paths: pathsOf(root), environment: { home: "/home/ann", project: "/", env, platform } },
    "/opt/node 20/bin/node",
  );

test("a service of systemd runs the installed beckon, restarts it, and quotes as systemd does", () => {
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

test("a service of systemd is where the user's configuration is", () => {
  expect(serviceOn("linux", undefined, { XDG_CONFIG_HOME: "/cfg" })?.file).toBe(
    "/cfg/systemd/user/beckon-relay.service",
  );
});

test("an agent of launchd has its words as texts of XML", () => {
  const service = serviceOn("darwin", "/Users/ann/R&D <x>");
  expect(service?.file).toBe("/home/ann/Library/LaunchAgents/dev.beckon.relay.plist");
  expect(service?.text).toContain(
    "<string>/opt/node 20/bin/node</string><string>/Users/ann/R&amp;D &lt;x&gt;/app/dist/cli.js</string><string>relay</string><string>run</string>",
  );
});

test("Windows has none that beckon knows", () => {
  expect(serviceOn("win32")).toBeUndefined();
});
