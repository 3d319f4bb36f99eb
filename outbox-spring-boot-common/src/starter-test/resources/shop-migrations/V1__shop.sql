CREATE TABLE shop_own (id INT);
