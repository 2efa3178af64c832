"""The verbs `site`, `import` and `discover`."""
