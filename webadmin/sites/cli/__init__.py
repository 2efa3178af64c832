"""The commands `site`, `import` and `discover`."""
