"""The demo: works of two rights holders, seven sites that copy them with or without a right, and the expected cases."""
