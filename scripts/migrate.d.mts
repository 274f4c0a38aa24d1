/** Applies the missing migrations and returns their names. Safe when several processes do it at once. */
export function deployMigrations(url: string, options?: { migrationsFolder?: string }): Promise<string[]>;
