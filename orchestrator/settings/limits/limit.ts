/** One bound of the program, as data. Each room lists its own, taken from the constants that its code uses. */

export const limitUnits = [
  "bytes",
  "characters",
  "levels",
  "items",
  "milliseconds",
  "seconds",
  "tokens",
] as const;
export type LimitUnit = (typeof limitUnits)[number];

export type Limit = {
  /** What it belongs to, such as `job files`. */
  readonly topic: string;
  /** What is bounded, such as `prompt`; unique in its topic. */
  readonly name: string;
  /** The value in force. */
  readonly value: number;
  readonly unit: LimitUnit;
  /** Where the value comes from: `default`, or the environment variable that set it. */
  readonly source: string;
  /** How it is changed; undefined for a bound that is fixed. */
  readonly change: string | undefined;
};

/** A row of {@link topicLimits}: name, value, unit, and how it is changed when it can be. */
export type LimitRow = readonly [name: string, value: number, unit: LimitUnit, change?: string];

/** Bounds of one topic that no variable changes. */
export function topicLimits(topic: string, rows: readonly LimitRow[]): readonly Limit[] {
  return rows.map(([name, value, unit, change]) => ({ topic, name, value, unit, source: "default", change }));
}
