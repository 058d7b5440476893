nodes = 4
