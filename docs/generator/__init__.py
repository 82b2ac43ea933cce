"""Generator of the manual's pages that come from the project itself."""
