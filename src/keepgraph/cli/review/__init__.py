"""`kg review`: proposals decided one by one, by keys or by options."""
