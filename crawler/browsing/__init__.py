"""Runs Chromium to load pages that scripts generate, and to render stored responses."""
