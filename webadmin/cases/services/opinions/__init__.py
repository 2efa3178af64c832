"""What published engines say of the pages behind cases."""
