package outbox.samples.spring;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** What a caller wants to order, as it came in. */
record NewOrder(@Nullable String customer, @Nullable BigDecimal amount) {

    private static final int LONGEST_CUSTOMER = 100;
    private static final BigDecimal LARGEST_AMOUNT = new BigDecimal(1_000_000);

    /** The customer's name, if it is one. */
    String validCustomer() {
        if (customer == null || customer.isBlank() || customer.length() > LONGEST_CUSTOMER) {
            throw new InvalidInputException(
                    "customer", "must be a text of 1 to " + LONGEST_CUSTOMER + " characters", customer);
        }
        return customer;
    }

    /** The amount, if it is one; that nothing is sold for 0 is found out later, by the payment. */
    BigDecimal validAmount() {
        if (amount == null || amount.signum() < 0 || amount.compareTo(LARGEST_AMOUNT) > 0) {
            throw new InvalidInputException("amount", "must be a number from 0 to " + LARGEST_AMOUNT, amount);
        }
        if (amount.stripTrailingZeros().scale() > 2) {
            throw new InvalidInputException("amount", "must have at most 2 decimal places", amount);
        }
        return amount;
    }
}
