// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunControl

@Suite("Keys of the live view", .timeLimit(.minutes(10)))
struct TopModelTests {
    static func overview(
        _ app: String = "app", running: [String] = [], pending: [String] = []
    ) -> AppOverview {
        var overview = AppOverview(app: app, at: .epoch)
        overview.running = running.enumerated().map {
            AppOverview.Running(
                attempt: Int64($0 + 1), identifier: $1, kind: "processing", launched: .epoch)
        }
        overview.pending = pending.enumerated().map {
            AppOverview.Pending(
                request: Int64($0 + 10), identifier: $1, kind: "processing", submitted: .epoch,
                reason: "waits")
        }
        overview.pendingCount = pending.count
        return overview
    }

    static func model(_ overviews: AppOverview...) -> TopModel {
        var model = TopModel(rows: 10, columns: 80)
        for overview in overviews { model.update(overview, at: .epoch) }
        return model
    }

    @Test("j, k and the arrows select a row, within the list")
    func choose() {
        var model = Self.model(Self.overview(running: ["r"], pending: ["p", "q"]))
        #expect(model.selected?.identifier == "r")
        for (key, expected) in [
            (.up, "r"), (.down, "p"), (.character("j"), "q"), (.down, "q"),
            (.character("k"), "p"), (.pageUp, "r"), (.pageDown, "q"),
        ] as [(TopModel.Key, String)] {
            #expect(model.press(key) == nil)
            #expect(model.selected?.identifier == expected)
        }
    }

    @Test("the selected request stays selected when it is launched and when others come before it")
    func follow() {
        var model = Self.model(Self.overview(pending: ["p", "q"]))
        _ = model.press(.down)
        model.update(Self.overview(running: ["a"], pending: ["b", "p", "q"]), at: .epoch)
        #expect(model.selected?.identifier == "q")
        model.update(Self.overview(running: ["a", "q"], pending: ["b"]), at: .epoch)
        #expect(model.selected == .init(app: "app", identifier: "q", attempt: 2))
        model.update(Self.overview(running: ["a"], pending: ["b"]), at: .epoch)
        #expect(model.selected?.identifier == "b")
        model.update(Self.overview(), at: .epoch)
        #expect(model.selected == nil)
    }

    @Test("a key that changes something asks first, and only y confirms")
    func confirm() {
        var model = Self.model(Self.overview(running: ["r"], pending: ["p"]))
        let running = TopModel.Subject(app: "app", identifier: "r", attempt: 1)
        #expect(model.press(.character("e")) == nil)
        #expect(model.question == .expire(running))
        #expect(model.press(.enter) == nil)
        #expect(model.question == nil)
        #expect(model.message == "nothing was changed")
        _ = model.press(.character("e"))
        #expect(model.press(.character("y")) == .expire(running))
        _ = model.press(.down)
        _ = model.press(.character("t"))
        #expect(
            model.press(.character("y"))
                == .trigger(.init(app: "app", identifier: "p", attempt: nil)))
    }

    @Test("an impossible action asks no question")
    func impossible() {
        var model = Self.model(Self.overview(running: ["r"], pending: ["p"]))
        _ = model.press(.character("t"))
        #expect(model.question == nil)
        #expect(model.message == "r is running already")
        _ = model.press(.down)
        _ = model.press(.character("e"))
        #expect(model.question == nil)
        #expect(model.message?.contains("not running") == true)
        var empty = Self.model(Self.overview())
        for key in "et" { #expect(empty.press(.character(key)) == nil) }
        #expect(empty.press(.enter) == nil)
        #expect(empty.question == nil)
    }

    @Test("a question is dropped when its subject is gone")
    func gone() {
        var model = Self.model(Self.overview(running: ["r"], pending: ["p"]))
        _ = model.press(.character("e"))
        model.update(Self.overview(pending: ["p"]), at: .epoch)
        #expect(model.press(.character("y")) == nil)
    }

    @Test("an answer about an attempt is not applied to its successor")
    func successor() {
        var model = Self.model(Self.overview(running: ["r"]))
        _ = model.press(.character("e"))
        model.update(Self.overview(running: ["x", "r"]), at: .epoch)
        #expect(model.press(.character("y")) == nil)
    }

    @Test("a page covers the list until it is closed, and then q quits")
    func page() {
        var model = Self.model(Self.overview(pending: ["p"]))
        #expect(
            model.press(.enter) == .explain(.init(app: "app", identifier: "p", attempt: nil)))
        model.show((1...30).map { "line \($0)" })
        for _ in 1...99 { _ = model.press(.down) }
        #expect(model.pageTop == 22)
        _ = model.press(.pageUp)
        #expect(model.pageTop == 15)
        #expect(model.press(.character("q")) == nil)
        #expect(model.page == nil)
        #expect(model.press(.character("q")) == .quit)
    }

    @Test("a long line of a page continues in the next row")
    func wrapped() {
        var model = TopModel(rows: 10, columns: 4)
        model.show(["abcdefghi", "", "abcd"])
        #expect(model.page == ["abcd", "efgh", "i", "", "abcd"])
    }

    @Test(
        "keys are decoded from the bytes of a terminal",
        arguments: [
            ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}", [.escape]), ("\u{1B}[1;5Aq", [.up, .character("q")]),
            ("\r\n", [.enter, .enter]), ("\u{1}\u{7F}ä", []), ("\u{1B}[", []),
            ("\u{1B}[15~j", [.character("j")]),
        ] as [(String, [TopModel.Key])])
    func keys(_ text: String, _ keys: [TopModel.Key]) {
        #expect(TopModel.Key.parse(Array(text.utf8)) == keys)
    }

    @Test("apps are in the order of their names, whichever reports first")
    func apps() {
        let model = Self.model(Self.overview("b", pending: ["x"]), Self.overview("a"))
        #expect(model.apps.map(\.app) == ["a", "b"])
        #expect(!model.isTicking)
        #expect(Self.model(Self.overview(running: ["r"])).isTicking)
    }
}
