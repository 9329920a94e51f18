/** The permission modes by name; apart from their schema, so that reading a command line needs none. */
export const permissionModes = ["ask", "auto", "sandbox", "full"] as const;

/** `auto` classifies each command; `sandbox` runs sandboxed or not at all; `full` runs with the user's privileges; `ask` asks a person. */
export type PermissionMode = (typeof permissionModes)[number];
