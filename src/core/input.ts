/** Most of an agent's payload that is taken: 1 MiB. What is longer is read to this point and refused later. */
export const maxInputBytes = 1024 * 1024;
