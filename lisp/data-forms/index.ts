export { DataFormError, type DataFormErrorKind, type TextPosition } from "./data-form-error.ts";
export { DataFormStream, readDataFormStream, type StreamReadOptions } from "./data-form-stream.ts";
export { compareCodePoints } from "./code-point-order.ts";
export {
  DataFloat,
  DataValueError,
  Keyword,
  describeForm,
  double,
  formsEqual,
  integer,
  isInteger,
  keyword,
  listElements,
  single,
  type DataForm,
  type DataList,
  type FloatFormat,
} from "./form.ts";
export { jsonTextToForm } from "./json-text.ts";
export { checkFormLimits, type FormLimits } from "./form-limits.ts";
export {
  PlistReader,
  codePointCount,
  type IntegerRule,
  type PlistDescription,
  type StringRule,
} from "./plist-reader.ts";
export {
  arrayForm,
  formToJson,
  formToJsonText,
  jsonToForm,
  maxJsonDepth,
  nullKeyword,
  objectForm,
  portableArray,
  portableObject,
  type JsonValue,
} from "./portable-json.ts";
export {
  maxPrintedDepth,
  prettyPrintDataForm,
  printDataForm,
  type PrettyPrintOptions,
  type PrintOptions,
} from "./print-data-form.ts";
export {
  readDataForm,
  readDataForms,
  readLocatedDataForm,
  type DataInput,
  type FormLocations,
  type LocatedForm,
} from "./read-data-form.ts";
export { recordLimits, type DataLimits, type ReadOptions } from "./read-options.ts";
