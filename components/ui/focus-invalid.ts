/**
 * Focuses the first field that has a problem: a screen reader then reads the field with it, and the person can continue
 * typing.
 */
export function focusInvalid(form: HTMLFormElement | null | undefined): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
