"""What is known of addresses from earlier crawls."""
