CREATE TABLE orders (
  id       VARCHAR(36) PRIMARY KEY,
  customer VARCHAR(100) NOT NULL,
  total    DECIMAL(12, 2) NOT NULL,
  status   VARCHAR(10) NOT NULL
);
