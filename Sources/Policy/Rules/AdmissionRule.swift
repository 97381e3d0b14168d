// SPDX-License-Identifier: Apache-2.0

/// Whether a request is accepted. Checks permission, handler, mode, overlap and pending limit, in the order in which a
/// person would correct them.
package final class AdmissionRule: Sendable {
    private let permitted: IdentifierRule
    private let permittedPatterns: [String]
    private let declarations: [TaskDeclaration]
    /// Whether everything that a declaration handles is permitted with it.
    private let isPermitted: [Bool]
    private let declared: IdentifierRule
    /// The mode that each declaration lacks.
    private let missingModes: [Mode?]
    /// The maximum number of pending requests of each kind.
    private let limits: [Int]

    package init(_ configuration: Engine.Configuration) {
        let permitted = IdentifierRule(permitting: configuration.permitted)
        let declarations = configuration.declarations
        self.permitted = permitted
        permittedPatterns = configuration.permitted
        self.declarations = declarations
        isPermitted = declarations.map { permitted.permits($0.identifier) }
        declared = IdentifierRule(permitting: declarations.map(\.identifier))
        missingModes = declarations.map { declaration in
            declaration.kind.requiredMode.flatMap { configuration.modes.contains($0) ? nil : $0 }
        }
        limits = (0...TaskKind.allCases.count).map { number in
            // fits: there are few kinds
            TaskKind(rawValue: UInt8(number)).map { configuration.policy.pendingLimits[$0] } ?? 0
        }
    }

    /// The declaration that handles `identifier`: its own, or that of the longest wildcard.
    package func declaration(for identifier: String) -> TaskDeclaration? {
        index(for: identifier).map { declarations[$0] }
    }

    func index(for identifier: String) -> Int? { declared.index(for: identifier) }

    /// The index of the declaration that handles `identifier`, regardless of running attempts and pending requests.
    @discardableResult
    package func permit(_ identifier: String) throws(Refusal) -> Int {
        guard IdentifierRule.isWellFormed(identifier) else {
            throw .notPermitted(identifier: identifier, nearest: nil)
        }
        let index = index(for: identifier)
        guard index.map({ isPermitted[$0] }) ?? false || permitted.permits(identifier) else {
            throw .notPermitted(
                identifier: identifier,
                nearest: NearMiss.nearest(to: identifier, among: permittedPatterns)
                    ?? nearestDeclared(to: identifier))
        }
        guard let index else {
            throw .noHandler(identifier: identifier, nearest: nearestDeclared(to: identifier))
        }
        if let mode = missingModes[index] {
            throw .modeMissing(identifier: identifier, kind: declarations[index].kind, mode: mode)
        }
        return index
    }

    private func nearestDeclared(to identifier: String) -> String? {
        NearMiss.nearest(to: identifier, among: declarations.map(\.identifier).sorted())
    }

    /// Whether running attempts and pending requests leave room for a request of the declaration at `index`.
    func checkLimits(
        for identifier: String, _ index: Int, runningAttempt: Int64?, pendingOfKind: Int,
        isPending: @autoclosure () -> Bool
    ) throws(Refusal) {
        let kind = declarations[index].kind
        if declarations[index].overlap == .skip, let attempt = runningAttempt {
            throw .alreadyRunning(identifier: identifier, attempt: attempt)
        }
        let limit = limits[Int(kind.rawValue)]
        guard pendingOfKind < limit || isPending() else {
            throw .tooManyPending(kind: kind, limit: limit)
        }
    }
}
