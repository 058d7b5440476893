// apply(from = "savepoint-checker.gradle.kts") in build.gradle.kts: "gradle check" fails where the change would lose state.
val savepointChecker = tasks.register<Exec>("savepointChecker") {
    group = "verification"
    description = "Tells which Flink state this work tree would lose."
    commandLine(
        "savepoint-checker", "check", "--engine", "in-process", "--head", ":worktree",
        "--output", layout.buildDirectory.file("savepoint-checker.html").get().asFile.path,
    )
}
tasks.named("check") { dependsOn(savepointChecker) }
