// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SwiftUI

private struct Theme {
    var name = "plain"
}

extension EnvironmentValues {
    @Entry fileprivate var isCompact = false
    /// The var of a comment = 1.
    @Entry fileprivate var theme: Theme = Theme(name: "dark")  // the default = dark
    @Entry fileprivate var selection: Int?
    @Entry fileprivate var count: Int?  // nothing = nil
    @Entry
    fileprivate var address = "https://example.com/?a=b"
    @Entry fileprivate var isOne: @Sendable (Int) -> Bool = { $0 == 1 }
    @Entry fileprivate var `default`: [String: Int] = [:]
}

@MainActor private struct Screen: View {
    @Environment(\.isCompact) var isCompact
    @Environment(\.theme) var theme
    @Environment(\.selection) var selection
    @Environment(\.count) var count
    @Environment(\.address) var address
    @Environment(\.isOne) var isOne
    @Environment(\.default) var scores

    var body: some View {
        Text(address).environment(\.isCompact, true)
    }
}

@Suite(.timeLimit(.minutes(1))) struct EntryTests {
    @Test("An entry of the environment has its initial value, also of a type that is not Sendable")
    @MainActor func defaults() {
        let screen = Screen()
        #expect(!screen.isCompact)
        #expect(screen.theme.name == "dark")
        #expect(screen.selection == nil)
        #expect(screen.count == nil)
        #expect(screen.address == "https://example.com/?a=b")
        #expect(screen.isOne(1))
        #expect(screen.scores.isEmpty)
    }

    @Test("An entry that is set is read, and others keep their values")
    @MainActor func setting() {
        var environment = EnvironmentValues.current
        environment.isCompact = true
        environment.selection = 7
        #expect(environment.isCompact)
        #expect(environment.selection == 7)
        #expect(environment.theme.name == "dark")
    }
}
