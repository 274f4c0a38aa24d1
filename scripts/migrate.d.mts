export function deployMigrations(url: string, options?: { migrationsFolder?: string }): Promise<string[]>;
