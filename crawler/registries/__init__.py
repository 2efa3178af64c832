"""Who hosts a site and who registered its name, as the registries say. They are asked on request alone."""
