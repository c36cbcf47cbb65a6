/**
 * Milliseconds of processor time that a synchronous action takes in this process, which unlike wall time is stable on a
 * busy machine.
 */
export function measureCpuMs(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
