export const languageName = "Common Lisp";
