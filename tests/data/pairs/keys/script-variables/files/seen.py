import copyreg

class Seen:
    def __init__(self, at, number):
        self.at = at
        self.number = number

def make(at, number):
    return Seen(at, number)

def taken_apart(seen):
    return make, (seen.at, seen.number)

copyreg.pickle(Seen, taken_apart)
