package jobs.deep
class Rates { val n = 1 }
