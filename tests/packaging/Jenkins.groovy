// A declarative pipeline, run by Groovy itself: stages in order, shell steps for real, and the names of all other steps.
class Steps {
    int failed = 0

    def pipeline(Closure body) { within(body) }
    def agent(Closure body) { within(body) }
    def docker(Closure body) { within(body) }
    def image(String name) { println("image ${name}") }
    def stages(Closure body) { within(body) }
    def stage(String name, Closure body) { println("stage ${name}"); within(body) }
    def when(Closure body) { within(body) }
    def changeRequest() { assert System.getenv('CHANGE_TARGET') }
    def steps(Closure body) { within(body) }
    def post(Closure body) { within(body) }
    def always(Closure body) { within(body) }
    def junit(Map options) { println("junit ${new File(options.testResults).exists()}") }
    def archiveArtifacts(Map options) { println("archived ${new File(options.artifacts).exists()}") }

    def sh(String script) {
        def process = new ProcessBuilder('sh', '-xe', '-c', script).inheritIO().start()
        failed = process.waitFor() ?: failed
    }

    private within(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_FIRST
        body()
    }
}

def steps = new Steps()
new GroovyShell(new Binding([pipeline: steps.&pipeline])).evaluate(new File(args[0]))
System.exit(steps.failed)
