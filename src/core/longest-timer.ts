/**
 * Longest time a timer of Node can be set for, in milliseconds: a longer one fires at once.
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
export const longestTimerMs = 2 ** 31 - 1;
