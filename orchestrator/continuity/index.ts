export { type CheckpointImages, ContinuityService } from "./continuity-service.ts";
export { continuityPageLimit, continuityTool, safetyLimit } from "./continuity-tool.ts";
