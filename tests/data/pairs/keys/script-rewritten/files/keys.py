from dataclasses import dataclass

@dataclass
class Reading:
    name: str
    place: str
    size: int = 0

    def key(self):
        return f"{self.place}/{self.name}"

class Site:
    def __init__(self, name):
        self.name = name

    def __eq__(self, site):
        return self.name == site.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"Site({self.name})"
