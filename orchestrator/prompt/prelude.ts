/** What a new active image evaluates first: forms are read in package AUTOLITH. */
export const promptPrelude = '(in-package "AUTOLITH")';
