import { beforeEach } from "vitest";
import { createHome, type Home } from "./home.ts";

/** Gives each test of a file or a `describe` block a new installation. */
export function useHome(create: () => Home = createHome): Home {
  const home = {} as Home;
  beforeEach(() => {
    Object.assign(home, create());
    return () => home.remove();
  });
  return home;
}
