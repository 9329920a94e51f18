export { RoleDefinitionError, type RoleDefinitionFault } from "./role-definition-error.ts";
export { parseRole, roleLimits, type RoleOrigin } from "./parse-role.ts";
export {
  RoleCatalog,
  bundledRoleNames,
  checkToolGrants,
  defaultRoleName,
  discoverRoles,
  projectDirectory,
  projectRoleDirectory,
  type RoleLocations,
} from "./role-catalog.ts";
export { RoleDirectory, RoleTexts, maxRoleFiles, readRoleDirectory } from "./role-files.ts";
export { modelAliases, resolveRoleModel, type ModelChoices } from "./role-models.ts";
export {
  isRoleName,
  maySpawn,
  reasoningEfforts,
  roleSources,
  type ReasoningEffort,
  type Role,
  type RoleSource,
  type SpawnPolicy,
} from "./role.ts";
export { roleWarnings, type RoleWarning } from "./role-warnings.ts";
export { grantsTool, unsatisfiedPatterns, webSearchGrant, type ToolGrant } from "./tool-grant.ts";
