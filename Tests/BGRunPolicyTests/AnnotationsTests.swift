// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Annotations of requests", .timeLimit(.minutes(5)))
struct AnnotationsTests {
    private static let nightly = Annotations(tags: ["nightly"])
    private static let word = Annotations.word(forTag: "nightly")

    private func tags(of identifier: String, in world: World) -> [String]? {
        world.engine.pendingRequest(identifier)?.annotations.tags.names
    }

    @Test("tags are a sorted set that text and JSON preserve")
    func tags() throws {
        let annotations = Annotations(tags: ["b:2", "a/1", "b:2", "B"])
        #expect(annotations.tags.names == ["B", "a/1", "b:2"])
        #expect(annotations.text == "tag:B tag:a/1 tag:b:2")
        #expect(Annotations(text: annotations.text) == annotations)
        #expect(Annotations(text: nil) == Annotations() && Annotations().text == nil)
        #expect(annotations.has(Annotations.word(forTag: "b:2")) && !annotations.has("tag:b"))
        #expect(!annotations.has("B"))
        for text in ["nightly", "tag:", "tag:ä", "other:x tag:a"] {
            #expect(Annotations(text: text) == nil, "\(text)")
        }
    }

    @Test(
        "a tag has 1 to 64 characters of the documented alphabet",
        arguments: [
            ("aZ09._-:/", true), (String(repeating: "x", count: 64), true), ("", false),
            (String(repeating: "x", count: 65), false), ("a b", false), ("a,b", false),
            ("\u{E4}", false), ("a\n", false),
        ])
    func alphabet(_ name: String, _ isValid: Bool) {
        #expect((Tags.problem(of: name) == nil) == isValid)
        #expect((Annotations(tags: Tags([name])).problem == nil) == isValid)
    }

    @Test("a request has at most 8 tags, including those of its task; the message gives advice")
    func limit() {
        let names = (1...8).map { "t\($0)" }
        let task = TaskDeclaration(
            identifier: "a", kind: .processing, annotations: Annotations(tags: Tags(names)))
        #expect(task.problem(with: Annotations(tags: Tags(names))) == nil)
        #expect(
            task.problem(with: Self.nightly)
                == "a request has at most 8 tags, not 9; omit some")
        #expect(
            Tags.problem(of: "a\u{1B}b")
                == "\"a\u{FFFD}b\" is not a tag; write 1 to 64 letters, digits, `.`, `_`, `-`, `:` or `/`"
        )
    }

    @Test("a request carries the tags of its task and of its submission, also after a failure")
    func request() {
        var task = TaskDeclaration.task("a", retry: RetryRule())
        task.annotations = Annotations(tags: ["sync"])
        var world = World([task])
        world.handle(
            .submit(Submission(identifier: "a", annotations: Self.nightly), ticket: 7))
        #expect(world.isRunning("a"))
        world.end("a", .failed)
        #expect(tags(of: "a", in: world) == ["nightly", "sync"])
        #expect(
            world.engine.explain("a", at: world.wall)?.annotations.tags.names == [
                "nightly", "sync",
            ])
        // A submission without tags has only those of its task.
        world.submit("a", delay: .hours(1))
        #expect(tags(of: "a", in: world) == ["sync"])
    }

    @Test("a request that is triggered with parameters keeps its tags")
    func trigger() {
        var world = World([TaskDeclaration.task("a")])
        world.handle(
            .submit(
                Submission(identifier: "a", delay: .hours(1), annotations: Self.nightly), ticket: 7)
        )
        world.handle(.trigger(Submission(identifier: "a", parameters: "{}"), ticket: 8))
        #expect(world.isRunning("a"))
        #expect(world.engine.runningAttempt("a")?.request.annotations == Self.nightly)
    }

    @Test("the next request of a schedule has the tags of its task, not those of a submission")
    func schedule() {
        var task = TaskDeclaration.task("a", every: .hours(1), submission: .launch)
        task.annotations = Annotations(tags: ["sync"])
        var world = World([task], policy: .server)
        world.handle(
            .submit(Submission(identifier: "a", annotations: Self.nightly), ticket: 7))
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(tags(of: "a", in: world) == ["sync"])
    }

    @Test("a tag cancels all requests with it and no others; running attempts continue")
    func cancel() {
        var running = TaskDeclaration.task("c")
        running.annotations = Self.nightly
        var world = World([.task("a"), .task("b"), running], policy: .server)
        world.submit("c")
        for identifier in ["a", "b", "c"] {
            let annotations = identifier == "b" ? Annotations(tags: ["nightly2"]) : Self.nightly
            world.handle(
                .submit(
                    Submission(identifier: identifier, delay: .hours(1), annotations: annotations),
                    ticket: 7))
        }
        world.handle(.cancelAnnotated(Self.word, ticket: 7))
        #expect(world.reply == .cancelled(2))
        #expect(!world.isPending("a") && world.isPending("b") && !world.isPending("c"))
        #expect(world.isRunning("c"))
        world.handle(.cancelAnnotated(Self.word, ticket: 7))
        #expect(world.reply == .cancelled(0))
    }
}
