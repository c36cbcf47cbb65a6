/** Library export `beckon/service/testing`: a fake of the service on this machine, for tests. */
export type { Credential } from "./fake-service/access.ts";
export {
  type FakeRequest,
  type FakeService,
  type FakeServiceOptions,
  fakeService,
} from "./fake-service/fake-service.ts";
