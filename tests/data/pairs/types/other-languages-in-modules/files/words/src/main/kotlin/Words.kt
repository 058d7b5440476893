package jobs
const val TOPIC = 1
fun runJob() { 1 }
class Words { fun env() { 1 } }
