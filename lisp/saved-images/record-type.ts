import type { Image } from "../image/image.ts";
import type { Field } from "./fields.ts";

/** Objects of one class of the engine: the fields that are saved, how a blank one is made, and what is derived from the fields. */
export interface RecordType {
  readonly name: string;
  readonly type: abstract new (...args: never[]) => object;
  readonly fields: readonly Field[];
  readonly blank: (image: Image) => object;
  /** Called when the fields of an object have been set. */
  readonly finish?: (object: never, image: Image) => void;
}
