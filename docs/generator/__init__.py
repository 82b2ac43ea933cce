"""What makes the pages of the manual that come from the project itself."""
