// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Output of commands to files and pipes", .timeLimit(.minutes(5)))
struct OutputTests {
    @Test(
        "a command whose output cannot be written ends with 74",
        arguments: [">/dev/full", ">&-"],
        [
            "next --cron '* * * * *'", "pending $OPTIONS", "policy $OPTIONS --json", "--version",
            "submit --help", "help next", "--generate-completion-script bash",
        ])
    func unwritten(_ target: String, _ command: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: true}, submit: manual}")
            #expect(try await box.run("submit", "org.test.t").code == 0)
            let end = try await box.startShell("exec $BGRUN \(command) \(target)").end()
            #expect(end.code == 74)
            #expect(end.error == "bgrun: standard output cannot be written\n")
        }
    }

    @Test("output replaces a regular file at once, writes to a FIFO, and refuses a link")
    func namedFile() async throws {
        let scenario = "scenario: 1\nstart: 2026-03-02 08:00\nduration: 1h\n"
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: true}, submit: manual}")
            try await box.run("submit", "org.test.t")
            try Data(scenario.utf8).write(to: URL(fileURLWithPath: box.directory + "/s.yaml"))
            let metrics = "metrics $OPTIONS --output"
            let page = "simulate --manifest \(box.manifest) --scenario s.yaml --html"
            for (command, word) in [(metrics, "bgrun_up"), (page, "<html")] {
                let script = """
                    set -e; cd \(box.directory); rm -f file same target link fifo copy
                    echo old > file; chmod 600 file; ln file same; echo old > target
                    ln -s target link; ln -s missing dangling; mkfifo fifo
                    $BGRUN \(command) file > /dev/null; grep -q "\(word)" file
                    test "$(cat same)" = old; test "$(stat -c %a file)" = 600
                    for name in link dangling; do
                        code=0; $BGRUN \(command) $name > /dev/null || code=$?
                        test $code = 74; test -L $name
                    done
                    test "$(cat target)" = old; test ! -e missing; rm dangling
                    timeout 60 cat fifo > copy & $BGRUN \(command) fifo > /dev/null; wait
                    test -p fifo; grep -q "\(word)" copy
                    """
                let end = try await box.startShell(script).end()
                #expect(end.code == 0, "\(end.error)")
                #expect(end.error.contains("link is a link, and is not followed"))
            }
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
                with open("/dev/full", "w") as full:
                    with subprocess.Popen(program, stdin=pipe, stdout=full, text=True) as batch:
                        batch.stdin.write("{}\\n")
                        batch.stdin.flush()
                        assert batch.wait() == 74
                """
            try Data(script.utf8).write(to: URL(fileURLWithPath: box.directory + "/batch.py"))
            let end = try await box.startShell("exec python3 \(box.directory)/batch.py").end()
            #expect(end.code == 0, "\(end.error)")
        }
    }
}
