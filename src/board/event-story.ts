/** Section of an event's story: a title and a table. */
export interface StorySection {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}
