package jobs.steps
class Other { val n = 1 }
