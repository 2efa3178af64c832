"""The product on real servers (`make test-servers`): PostgreSQL, Redis with a password, one of MongoDB's protocol."""
