/** Where a value was written. Lines and columns count from 1; files are relative to the project folder. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** The short form that reviewers see: `agents/triage.agent.yaml:31`. */
export function formatSourceLocation(location: SourceLocation): string {
  // What a built-in server declares stands in no file of the project.
  if (location.file === "") return "built-in";
  return `${location.file}:${location.line}`;
}
