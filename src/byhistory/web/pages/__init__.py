"""What does a person see? One file a page."""
