"""The demo: works of two rights holders, seven sites that carry them rightly or wrongly, and what must be found."""
