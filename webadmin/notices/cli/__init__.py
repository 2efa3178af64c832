"""The `notice` verbs, and the verbs of `site` about notices."""
