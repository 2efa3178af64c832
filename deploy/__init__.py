"""The command line, the embedded services and the demo: everything that runs the product on a machine."""
