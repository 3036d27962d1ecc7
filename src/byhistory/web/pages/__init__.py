"""What does a person see? One file per page."""
