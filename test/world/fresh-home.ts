import { onTestFinished } from "vitest";
import { createHome, type Home } from "./home.ts";

/** Makes an installation with a configuration, which is removed when the requesting test has ended. */
export function freshHome(config: object, name?: string): Home {
  const home = createHome(name);
  onTestFinished(() => home.remove());
  home.writeConfig(config);
  return home;
}
