// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Checks of the policy for all tasks together.
extension ManifestDecoder {
    func checkSchedule(of tasks: [TaskDefinition], _ field: Field, _ policy: Policy) {
        guard case .mapping(let entries) = field.node.content else { return }
        let spans = Dictionary(
            entries.map { ($0.key.text, $0.key.span) }, uniquingKeysWith: { first, _ in first })
        var atLaunch: [TaskKind: Int] = [:]
        for declaration in tasks.map(\.declaration) {
            guard let span = spans[declaration.identifier] else { continue }
            warnOfSpacing(declaration, at: span, policy)
            guard declaration.submission == .launch, !declaration.identifier.hasSuffix(".*")
            else { continue }
            atLaunch.countUp(declaration.kind)
            // Reported once, at the first task over the limit.
            guard atLaunch[declaration.kind] == policy.pendingLimits[declaration.kind] + 1
            else { continue }
            reportTooManyAtLaunch(for: declaration, at: span, policy)
        }
    }

    /// Apple: the submission that exceeds the limit fails with tooManyPendingTaskRequests.
    private func reportTooManyAtLaunch(
        for declaration: TaskDeclaration, at span: SourceSpan, _ policy: Policy
    ) {
        let limit = policy.pendingLimits[declaration.kind]
        let key = "pending_" + declaration.kind.name.replacing("-", with: "_")
        bag.error(
            .tooManyAtLaunch, at: span,
            "\(quoted(declaration.identifier)) is refused at launch: only \(limit) "
                + "\(declaration.kind.name) \(limit == 1 ? "request" : "requests") may be pending",
            help: "write `submit: manual`, raise `\(key)` under `policy`, or write "
                + "`policy: {profile: server}`")
    }

    private func warnOfSpacing(
        _ declaration: TaskDeclaration, at span: SourceSpan, _ policy: Policy
    ) {
        let spacing = policy.spacing(of: declaration.kind, missedCompletions: 0)
        guard let every = declaration.schedule?.distance(from: options.now), every < spacing
        else { return }
        let isCalendar = declaration.schedule?.calendar != nil
        bag.warn(
            .everyUnderSpacing, at: span,
            "\(quoted(declaration.identifier)) is launched every \(Quantity.text(spacing)) at most, "
                + "not every \(Quantity.text(every))",
            help: (isCalendar ? "choose fewer dates" : "write `every: \(Quantity.text(spacing))`")
                + ", or `policy: {profile: server}`")
    }
}

extension Schedule {
    /// The shortest time between two launches, among the dates soon after `date`.
    fileprivate func distance(from date: WallTime) -> Interval? {
        guard let calendar else { return period }
        var shortest: Interval?
        guard var last = calendar.next(after: date) else { return nil }
        for _ in 0..<50 {
            guard let next = calendar.next(after: last) else { break }
            let distance = last.interval(until: next)
            shortest = min(shortest ?? distance, distance)
            last = next
        }
        return shortest
    }
}
