import { createHome, type Home } from "./home.ts";
import { useEach } from "./use.ts";

/** Gives each test of a file or a `describe` block a new installation. */
export function useHome(create: () => Home = createHome): Home {
  return useEach("remove", create);
}
