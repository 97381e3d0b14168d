// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Output of commands to files and pipes", .timeLimit(.minutes(5)))
struct OutputTests {
    @Test(
        "a command whose output cannot be written ends with 74",
        arguments: [">/dev/full", ">&-"],
        ["next --cron '* * * * *'", "pending $OPTIONS", "policy $OPTIONS --json"])
    func unwritten(_ target: String, _ command: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: true}, submit: manual}")
            #expect(try await box.run("submit", "org.test.t").code == 0)
            let end = try await box.startShell("exec $BGRUN \(command) \(target)").end()
            #expect(end.code == 74)
            #expect(end.error == "bgrun: standard output could not be written completely\n")
        }
    }

    @Test("output to a file follows a link, writes to a FIFO, and replaces a regular file")
    func namedFile() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: true}, submit: manual}")
            try await box.run("submit", "org.test.t")
            let script = """
                set -e; cd \(box.directory)
                echo old > file; ln file same; echo old > target; ln -s target link; mkfifo fifo
                $BGRUN metrics $OPTIONS --output file; cmp -s file same && exit 1
                $BGRUN metrics $OPTIONS --output link; test -L link; grep -q bgrun_up target
                cat fifo > copy & $BGRUN metrics $OPTIONS --output fifo; wait
                test -p fifo; grep -q bgrun_up copy; grep -q bgrun_up file
                """
            let end = try await box.startShell(script).end()
            #expect(end.code == 0, "\(end.error)")
        }
    }

    @Test("a batch of questions is answered line by line, within the limits of `next`")
    func batch() async throws {
        try await Sandbox.with { box in
            let script = """
                import json, os, subprocess
                program = [os.environ["BGRUN"], "next", "--batch"]
                pipe = subprocess.PIPE
                with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as batch:
                    def ask(**question):
                        batch.stdin.write(json.dumps(question) + "\\n")
                        batch.stdin.flush()
                        return json.loads(batch.stdout.readline())
                    cron = "* * * * *"
                    assert ask(cron=cron, **{"from": 0}) == {"dates": [60000]}
                    for count in (-1, 0, 10001, 2 ** 63 - 1):
                        assert "from 1 to 10000" in ask(cron=cron, count=count)["error"]
                    assert "both" in ask(cron=cron, calendar="daily")["error"]
                    assert len(ask(cron=cron, count=3)["dates"]) == 3
                """
            try Data(script.utf8).write(to: URL(fileURLWithPath: box.directory + "/batch.py"))
            let end = try await box.startShell("exec python3 \(box.directory)/batch.py").end()
            #expect(end.code == 0, "\(end.error)")
        }
    }
}
