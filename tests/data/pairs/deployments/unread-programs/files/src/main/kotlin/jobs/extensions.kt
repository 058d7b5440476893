package jobs
fun <T> DataStream<T>.counted() = this.map { it }
