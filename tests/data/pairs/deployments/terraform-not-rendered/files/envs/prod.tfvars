slots = 4
