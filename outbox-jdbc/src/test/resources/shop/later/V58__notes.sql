-- What the application adds later, numbered as it always has.
ALTER TABLE orders ADD COLUMN note VARCHAR(80);
