/**
 * Measures the processor time, in milliseconds, of a synchronous action in this process. Unlike wall time, it is stable
 * on a busy machine.
 */
export function measureCpuMs(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
