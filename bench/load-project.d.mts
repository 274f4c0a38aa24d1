export function loadProject(toolUrl: string): Record<string, string>;
