export { type CheckpointImages, ContinuityService, type RetainedJob } from "./continuity-service.ts";
export { continuityPageLimit, continuityTool, safetyLimit } from "./continuity-tool.ts";
