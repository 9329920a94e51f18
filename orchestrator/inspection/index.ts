export {
  TaskInspector,
  type TaskInspectorParts,
  taskPage,
  transcriptForm,
  transcriptOffsetLimit,
  transcriptWindow,
} from "./task-inspector.ts";
export { type TaskRequest, taskRequest, taskUsage } from "./task-request.ts";
