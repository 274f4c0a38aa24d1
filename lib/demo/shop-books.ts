/** The shop's rules about orders and money. Amounts are compared in cents, because 0.1 + 0.2 is not 0.3. */
import type { Payment, ShopState } from "./shop-data";

/** Something the caller can correct; its text is the tool's answer. */
export class ShopRefusal extends Error {}

/** Two equal charges of one order within this time are one purchase that was paid twice. */
const DUPLICATE_WITHIN_MS = 10 * 60_000;

export function getOrder(state: Readonly<ShopState>, order_id: string): ShopState["orders"][number] {
  const order = state.orders.find((each) => each.order_id === order_id);
  if (!order)
    throw new ShopRefusal(`There is no order ${order_id}. Order numbers stand in the ticket; tickets-search finds it.`);
  return order;
}

export function getTicket(state: ShopState, ticket_id: string): ShopState["tickets"][number] {
  const ticket = state.tickets.find((each) => each.ticket_id === ticket_id);
  if (!ticket) throw new ShopRefusal(`There is no ticket ${ticket_id}. tickets-search finds tickets by their words.`);
  return ticket;
}

export function getCustomer(state: ShopState, customer_id: string): ShopState["customers"][number] {
  const customer = state.customers.find((each) => each.customer_id === customer_id);
  if (!customer) throw new ShopRefusal(`There is no customer ${customer_id}; nothing was deleted.`);
  return customer;
}

export function readBalance(
  state: Readonly<ShopState>,
  order_id: string,
): { charged: number; refunded: number; refundable: number } {
  const sum = (kind: Payment["kind"]) =>
    state.payments
      .filter((each) => each.order_id === order_id && each.kind === kind)
      .reduce((cents, { amount }) => cents + toCents(amount), 0);
  const [charged, refunded] = [sum("charge"), sum("refund")];
  return { charged: charged / 100, refunded: refunded / 100, refundable: (charged - refunded) / 100 };
}

/** The later one of each pair of equal charges. */
export function findDuplicateCharges(payments: readonly Payment[]): string[] {
  const charges = payments.filter(({ kind }) => kind === "charge");
  return charges
    .filter((later, index) =>
      charges
        .slice(0, index)
        .some(
          (earlier) =>
            earlier.amount === later.amount &&
            Math.abs(Date.parse(later.booked_at) - Date.parse(earlier.booked_at)) <= DUPLICATE_WITHIN_MS,
        ),
    )
    .map(({ payment_id }) => payment_id);
}

export interface Refund {
  order_id: string;
  amount: number;
  currency: string;
  reason: string;
}

/**
 * Books the refund in `state`. Refuses another currency than the order's, and more than is left of what was charged.
 */
export function bookRefund(
  state: ShopState,
  { order_id, amount, currency, reason }: Refund,
  now: Date,
): Record<string, unknown> {
  const order = getOrder(state, order_id);
  if (currency !== order.currency) {
    throw new ShopRefusal(
      `Order ${order_id} was paid in ${order.currency}, so ${currency} cannot be refunded. Nothing was booked.`,
    );
  }
  const { refundable } = readBalance(state, order_id);
  if (toCents(amount) > toCents(refundable)) {
    throw new ShopRefusal(
      `${amount} ${currency} is more than the ${refundable} ${currency} that can still be refunded on order ${order_id}. Nothing was booked.`,
    );
  }
  const number = Math.max(...state.payments.map(({ payment_id }) => Number(payment_id.slice(2)))) + 1;
  const payment_id = `P-${number}`;
  state.payments.push({
    payment_id,
    order_id,
    kind: "refund",
    amount,
    currency,
    booked_at: now.toISOString(),
    note: reason,
  });
  return { refund_id: payment_id, order_id, amount, currency, refundable: readBalance(state, order_id).refundable };
}

function toCents(amount: number): number {
  return Math.round(amount * 100);
}
