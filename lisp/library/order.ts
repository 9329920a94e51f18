/** The library in boot order, without `.lisp`: each file may use what stands before it. Add a file where what it needs is there. */
export const libraryFiles: readonly string[] = [
  "00-control",
  "01-setf",
  "02-conditions-core",
  "lists",
  "mapping",
  "12-conditions",
];
