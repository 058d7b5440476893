from dataclasses import dataclass

SEP = "-"

@dataclass
class Order:
    id: str
    region: str
    a: int
    b: int
    parts: object = None

    def get_id(self):
        return self.id

    def get_code(self):
        return self.id.strip()

    @property
    def code(self):
        return self.region

    def label(self):
        return self.id + "-" + self.region

class Rush(Order):
    def kind(self):
        return self.id

def parse(line):
    return Order(line, line, 1, 2)

def pair(x, y):
    return x + SEP + y
