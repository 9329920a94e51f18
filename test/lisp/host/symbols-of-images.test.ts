import { expect, it } from "vitest";
import { createImage } from "../../../lisp/host/lisp-image.ts";

it.each(["NIL", "T"])(
  "what an image says about %s, which all images share, stays in that image",
  async (name) => {
    const [first, second] = [createImage(), createImage()];
    const kept = `(and (equal (documentation '${name} 'variable) "text") (equal (get '${name} 'mark) "value"))`;
    const none = `(not (or (equal (documentation '${name} 'variable) "text") (get '${name} 'mark)))`;
    await first.evaluate(`(setf (documentation '${name} 'variable) "text" (get '${name} 'mark) "value")`)
      .result;
    const answers = await Promise.all([
      first.evaluate(`(if ${kept} 1 0)`).result,
      second.evaluate(`(if ${none} 1 0)`).result,
    ]);
    expect(answers).toMatchObject([{ values: [{ value: 1 }] }, { values: [{ value: 1 }] }]);
  },
);
