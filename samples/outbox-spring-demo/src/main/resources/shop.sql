CREATE TABLE orders (
  id       VARCHAR(36) PRIMARY KEY,
  customer VARCHAR(100) NOT NULL,
  amount   DECIMAL(12, 2) NOT NULL
);

CREATE TABLE confirmations (
  event_id VARCHAR(36) PRIMARY KEY,
  order_id VARCHAR(36) NOT NULL
);
