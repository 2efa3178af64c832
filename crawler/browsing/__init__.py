"""Chromium: loads pages that scripts generate, and renders stored responses."""
