"""What functions of scripts do with their states: the code of each is followed on every way through it."""
