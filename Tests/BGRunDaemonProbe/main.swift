// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunEventLoop
import Glibc

// bgrun-daemon-probe MANIFESTS STATE START ANSWER END STOP READING SCRIPT: a daemon whose hosts are shells
// that run SCRIPT, with these timeouts in milliseconds.

let words = CommandLine.arguments.dropFirst()
guard words.count == 8 else { exit(64) }
let numbers = words.dropFirst(2).prefix(5).map { (Int64($0) ?? 0) * 1_000_000 }
let script = words.last ?? ""

func complain(_ text: String) {
    let line = text + "\n"
    write(STDERR_FILENO, line, line.utf8.count)
}

do {
    let loop = try EventLoop()
    var options = Daemon.Options(
        directory: words[1], slots: 1, executable: "/bin/sh", state: words[2],
        looking: { _, _ in ["-c", "printf 'owner=%s\\napp=org.test.app\\n' $(id -u)"] },
        trusting: { _, _ in ["-c", ":"] }
    ) { _, _ in ["-c", script] }
    options.life.start = numbers[0]
    options.life.answer = numbers[1]
    options.life.end = numbers[2]
    options.life.stop = numbers[3]
    options.reading = numbers[4]
    let daemon = try Daemon(loop, options) { complain($1) }
    let signals = try SignalSource(loop, [SIGCHLD, SIGTERM, SIGHUP], reportsStops: true) { signal in
        switch signal {
        case SIGCHLD: daemon.childrenEnded()
        case SIGHUP: daemon.reload()
        default: daemon.shutDown()
        }
    }
    daemon.look()
    withExtendedLifetime(signals) { loop.run() }
} catch {
    complain("\(error)")
    exit(1)
}
