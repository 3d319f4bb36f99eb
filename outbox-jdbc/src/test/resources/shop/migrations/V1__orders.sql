-- An application's own first migration.
CREATE TABLE orders (id INT PRIMARY KEY);
