--liquibase formatted sql
--changeset shop:1
CREATE TABLE shop_own (id INT);
