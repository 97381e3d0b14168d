// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Testing

/// Each body is that of a handler of `task`, with `work` to do.
@Suite(.timeLimit(.minutes(5))) struct PathTests {
    @Test(arguments: [
        (
            "if and else",
            "if ok { task.setTaskCompleted(success: true) } else { task.setTaskCompleted(success: false) }"
        ),
        ("else if", "if a { finish() } else if b { finish() } else { finish() }"),
        ("a ternary", "ok ? finish() : task.setTaskCompleted(success: false)"),
        ("a switch", "switch x { case .a: finish()\ncase .b, .c: finish()\ndefault: finish() }"),
        ("fallthrough", "switch x { case 1: fallthrough\ncase 2: finish()\ndefault: finish() }"),
        (
            "a switch as a value",
            "let ok = switch x { case 1: true\ndefault: false }\ntask.setTaskCompleted(success: ok)"
        ),
        ("defer", "defer { finish() }\nif ok { return }\nguard b else { return }\nwork()"),
        ("a defer of a scope", "do { defer { finish() }\ntry work() } catch { print(error) }"),
        (
            "rethrown and caught",
            "do { do { try work() } catch is A { throw B() }\nfinish() } catch { finish() }"
        ),
        ("try?", "try? work()\nfinish()"),
        ("an endless loop with a break", "while true { if work() { break } }\nfinish()"),
        ("a loop that returns when done", "while true { if work() { finish(); return } }"),
        ("repeat", "repeat { work() } while again\nfinish()"),
        (
            "a labeled break",
            "outer: for a in all { for b in a { if b { break outer } } }\nfinish()"
        ),
        ("a labeled do", "search: do { if ok { break search }\nwork() }\nfinish()"),
        ("a call that does not return", "guard ok else { fatalError() }\nfinish()"),
        ("a Task", "Task { await work()\nfinish() }"),
        ("a Task in a Task", "Task { await work()\nTask { @MainActor in finish() } }"),
        (
            "a queue",
            "DispatchQueue.global().async { self.work()\nDispatchQueue.main.async { finish() } }"
        ),
        (
            "a local closure",
            "let done: (Bool) -> Void = { task.setTaskCompleted(success: $0) }\nload { done($0) }"
        ),
        (
            "a local closure by name",
            "let done = { (ok: Bool) in task.setTaskCompleted(success: ok) }\nload(completion: done)"
        ),
        (
            "a local function declared later",
            "load { end($0) }\nfunc end(_ ok: Bool) { task.setTaskCompleted(success: ok) }"
        ),
        (
            "another name",
            "let refresh = task as! BGProcessingTask\nrefresh.setTaskCompleted(success: true)"
        ),
        (
            "a name that is hidden",
            "let request = session.dataTask(with: url) { data, _, _ in finish() }\nrequest.resume()"
        ),
        ("autoreleasepool", "autoreleasepool { work()\nfinish() }"),
        (
            "a task group",
            "Task { await withTaskGroup(of: Void.self) { group in group.addTask { await work() } }\nfinish() }"
        ),
        ("passed to code that is elsewhere", "Elsewhere.shared.run(task)"),
        ("passed to an initializer", "queue.addOperation(Elsewhere.Operation(task: task))"),
        ("kept in an array", "pending.append(task)"),
        ("both builds", "#if os(iOS)\nfinish()\n#else\nfinish()\n#endif"),
        ("an optional chain", "(task as? BGProcessingTask)?.setTaskCompleted(success: true)"),
        (
            "a completion in an argument of a try",
            "do { task.setTaskCompleted(success: try work()) } catch { finish() }"
        ),
        (
            "a flag that says it is done",
            "var done = false\nload { if done { return }\ndone = true\nfinish() }"
        ),
        (
            "an if as an expression of a Task",
            "Task { if await work() { finish() } else { finish() } }"
        ),
    ])
    func `These complete on every path`(name: String, body: String) {
        #expect(Self.findings(body) == [])
    }

    @Test(arguments: [
        ("an if without else", "if ok { finish() }"),
        ("else if without else", "if a { finish() } else if b { finish() }"),
        ("one case", "switch x { case 1: finish()\ndefault: print(x) }"),
        (
            "a break out of a switch",
            "switch x { case 1: if ok { break }\nfinish()\ndefault: finish() }"
        ),
        ("a guard", "guard ok else { print(ok); return }\nfinish()"),
        ("a catch", "do { try work()\nfinish() } catch { print(error) }"),
        (
            "one catch of two",
            "do { try work()\nfinish() } catch is A { finish() } catch { print(error) }"
        ),
        ("an error that nothing catches", "Task { try await work()\nfinish() }"),
        ("a loop that may have nothing to do", "for x in all { finish(); break }"),
        ("a for try await", "Task { for try await x in all { print(x) }\nfinish() }"),
        ("a continuation that is not called", "load { result in if result { finish() } }"),
        ("a defer after the return", "if ok { return }\ndefer { finish() }\nwork()"),
        ("one build", "#if os(iOS)\nfinish()\n#endif"),
        ("a closure that is never called", "let done = { finish() }\nwork()"),
        ("only said", "print(task)"),
        ("another object's method of that name", "other.setTaskCompleted(success: true)"),
        ("a helper that does not complete", "configure(task)"),
        ("an early return in a Task", "Task { guard await work() else { return }\nfinish() }"),
        ("a ternary of which one does", "ok ? finish() : print(ok)"),
        ("kept where nothing looks", "self.forgotten = task"),
    ])
    func `These leave a path without a completion`(name: String, body: String) {
        #expect(Self.findings(body) == ["completion-on-every-path"])
    }

    @Test(arguments: [
        ("in a row", "finish()\nfinish()"),
        ("after an if", "if ok { finish() }\nfinish()"),
        ("in a loop", "for x in all { finish() }\nfinish()"),
        ("in a closure, then here", "Task { await work()\nfinish() }\nfinish()"),
        ("with a defer", "defer { finish() }\nguard ok else { finish(); return }"),
    ])
    func `These complete twice on a path`(name: String, body: String) {
        #expect(Self.findings(body).contains("completed-twice"))
    }

    @Test func `A path is followed through methods, callbacks and files`() {
        let delegate = SourceFile(
            path: "Delegate.swift",
            text: """
                func register() {
                    BGTaskScheduler.shared.register(forTaskWithIdentifier: "a", using: nil) { task in
                        Worker.shared.begin(task as! BGProcessingTask)
                    }
                }
                """)
        let worker = SourceFile(
            path: "Worker.swift",
            text: """
                final class Worker {
                    static let shared = Worker()
                    func begin(_ task: BGProcessingTask) {
                        task.expirationHandler = { self.stop() }
                        fetch { self.store($0) { task.setTaskCompleted(success: $0) } }
                    }
                    private func fetch(then next: @escaping (Data?) -> Void) {
                        session.dataTask(with: url) { data, _, _ in next(data) }.resume()
                    }
                    private func store(_ data: Data?, completion: (Bool) -> Void) {
                        guard let data else { return }
                        completion(disk.write(data))
                    }
                }
                """)
        let findings = Audit.findings(in: [delegate, worker])
        #expect(findings.map { "\($0.file):\($0.place.line)" } == ["Worker.swift:11"])
    }

    private static func findings(_ body: String) -> [String] {
        let finish = "task.setTaskCompleted(success: true)"
        let text = """
            func handle(task: BGProcessingTask) {
                task.expirationHandler = { stop() }
                \(body.replacing("finish()", with: finish))
            }

            func configure(_ task: BGTask) { print(task.identifier) }
            let caller = { configure($0) }
            """
        let file = SourceFile(path: "a.swift", text: text)
        #expect(file.syntaxError == nil)
        let ids = Audit.findings(in: [file]).map { $0.rule.id }
        // This test does not check how the loops of these bodies handle cancellation.
        return ids.filter { $0 != "loop-ignores-cancellation" }
    }
}
