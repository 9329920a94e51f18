import * as fc from "fast-check";
import { double, integer, keyword, single, type DataForm } from "../../../lisp/data-forms/index.ts";

const keywordNames = fc.stringMatching(/^[A-Za-z@*+-][A-Za-z0-9._/<>=+-]{0,12}$/);

const atoms: fc.Arbitrary<DataForm> = fc.oneof(
  fc.boolean(),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "(", ")", ";", "\n", "#", "|", "a", "é", "😀"),
    maxLength: 12,
  }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt().map(integer),
  keywordNames.map(keyword),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(double),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(single),
);

/** Any form that data may hold; lists are never empty, as the reader gives them. */
export const dataForms: fc.Arbitrary<DataForm> = fc.letrec<{ form: DataForm }>((tie) => ({
  form: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atoms,
    fc.array(tie("form"), { minLength: 1, maxLength: 6 }),
  ),
})).form;

/** JSON values, numbers finite. */
export const jsonValues = fc.jsonValue({ noUnicodeString: false });
