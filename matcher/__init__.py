"""From the fingerprint of a page to its matches: `index` looks up, `align` extends and compares, `judge` classifies."""
