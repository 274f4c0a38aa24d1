const MAX = 500;

/** Long sessions are counted up to a number. */
export const describeCounted = (count: number): string => (count >= MAX ? `${MAX} or more` : String(count));
