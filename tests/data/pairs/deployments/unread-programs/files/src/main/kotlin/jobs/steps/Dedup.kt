package jobs.steps
class Dedup(c: Any) : Base()
open class Base { val n = 1 }
