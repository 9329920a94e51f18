import { captureVariables } from "../initialization/capture-variables.ts";

/** What a new active image evaluates first: forms are read in package AUTOLITH, which has the variables of initialization. */
export const promptPrelude = `(in-package "AUTOLITH") ${captureVariables}`;
