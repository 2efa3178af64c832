"""Sites: what is watched, when and how it is crawled, and what runs left."""
