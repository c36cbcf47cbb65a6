/** Part of an event's story: a title, and rows of cells. */
export interface StorySection {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}
