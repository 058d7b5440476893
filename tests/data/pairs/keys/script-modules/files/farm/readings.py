class Reading:
    def __init__(self, number, site):
        self.number = number
        self.site = site

    @property
    def lane(self):
        return self.site + "/" + self.number

    def describe(self):
        return f"{self.site}: {self.number}"
