import { onTestFinished } from "vitest";
import { createHome, type Home } from "./home.ts";

/** An installation with a configuration, removed when the requesting test has ended. */
export function freshHome(config: object, name?: string): Home {
  const home = createHome(name);
  onTestFinished(() => home.remove());
  home.writeConfig(config);
  return home;
}
