// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The times of a task's launches, its time limits, and its retries.
extension ManifestDecoder {
    func decodeRequires(_ field: Field, _ kind: TaskKind?) -> Conditions {
        let example = "requires: {power: external, network: any}"
        guard let fields = Fields(field, .requires, bag, example) else { return [] }
        if let kind, kind != .processing, kind != .continued {
            bag.error(
                .processingOnly, at: field.span,
                "a task of kind `\(kind.name)` cannot have `requires`",
                help: "use `kind: processing`, or drop `requires`")
        }
        var conditions: Conditions = []
        let words: [(key: String, words: [(name: String, word: Conditions)])] = [
            ("power", [("external", .externalPower)]),
            ("network", [("any", .network), ("unmetered", [.network, .unmeteredNetwork])]),
            ("battery", [("not-low", .batteryNotLow)]),
        ]
        for (key, words) in words {
            guard let field = fields[key] else { continue }
            conditions.formUnion(bag.word(field, words) ?? [])
        }
        if fields.flag("idle") == true { conditions.insert(.idle) }
        for reading in PlainReading.all {
            guard let required = reading.required else {
                if fields.flag(reading.name) == true { conditions.insert(reading.condition) }
                continue
            }
            guard let field = fields[reading.name] else { continue }
            conditions.formUnion(bag.word(field, [(name: required, word: reading.condition)]) ?? [])
        }
        return conditions
    }

    func decodeEarliest(_ fields: Fields) -> Interval {
        guard let field = fields["earliest"], let earliest = fields.duration("earliest") else {
            return .zero
        }
        if earliest > .days(7) {
            bag.warn(
                .farEarliest, at: field.node.span,
                "`earliest` is more than a week ahead",
                help: "Apple advises at most 7d; a request may be outdated by then")
        }
        return earliest
    }

    /// A wildcard has no request to submit; pushes, transfers, the user and the triggers of `on` submit theirs.
    func decodeSubmission(
        _ fields: Fields, of identifier: String, _ kind: TaskKind?, _ context: TaskContext
    ) -> TaskDeclaration.Submission {
        let field = fields["submit"]
        let isWildcard = identifier.hasSuffix(".*")
        let isOnly =
            (fields["on"] != nil || context.followers.contains(identifier))
            && fields["every"] == nil
        let isCalendar = fields["cron"] != nil || fields["calendar"] != nil
        let waits =
            isWildcard
            || !isCalendar && (isOnly || [.push, .continued, .transfer].contains(kind))
        let byDefault: TaskDeclaration.Submission = waits ? .manual : .launch
        guard let field, let submission = fields.word("submit", TaskDeclaration.Submission.self)
        else { return byDefault }
        if isWildcard, submission == .launch {
            bag.error(
                .wildcardLaunch, at: field.node.span,
                "a task with a wildcard cannot be submitted at launch: it has more than one identifier",
                help: "write `submit: manual`, or declare a task without `*`")
        }
        return submission
    }

    func decodeExpiration(
        _ field: Field, _ policy: Policy
    ) -> (after: Interval?, grace: Interval?) {
        guard let fields = Fields(field, .expiration, bag, "expiration: {after: 30s, grace: 5s}")
        else { return (nil, nil) }
        let after = fields.duration("after")
        guard let field = fields["grace"], let grace = fields.duration("grace") else {
            return (after, nil)
        }
        if grace > policy.graceMaximum {
            let maximum = Quantity.text(policy.graceMaximum)
            bag.error(
                .graceOverMaximum, at: field.node.span,
                "a grace of \(Quantity.text(grace)) is over the policy's maximum of \(maximum)",
                help: "write `grace: \(maximum)`, or raise `grace_maximum` under `policy`")
        }
        return (after, grace)
    }

    /// Apple: a refresh has about 30 seconds, and runs after 15 minutes at the earliest.
    func warnOfRefresh(_ fields: Fields, _ declaration: TaskDeclaration, _ policy: Policy) {
        guard declaration.kind == .appRefresh, policy.profile == .apple else { return }
        let spacing = policy.appRefreshSpacing
        let earliest = declaration.earliest
        if let field = fields["earliest"], earliest > .zero, earliest < spacing {
            bag.warn(
                .earliestUnderSpacing, at: field.node.span,
                "a refresh is launched every \(Quantity.text(spacing)) at most, not "
                    + "\(Quantity.text(earliest)) after the last one",
                help: "write `earliest: \(Quantity.text(spacing))`, or `policy: {profile: server}`")
        }
        let limit = policy.timeLimits.appRefresh
        if let field = fields["expiration"], let after = declaration.timeLimit, after > limit {
            bag.warn(
                .longRefresh, at: field.span,
                "a refresh is to take \(Quantity.text(limit)) at most, not \(Quantity.text(after))",
                help: "use `kind: processing` for longer work, or raise `app_refresh_limit` under "
                    + "`policy`")
        }
    }

    func decodeRetry(_ field: Field) -> RetryRule? {
        if field.scalar?.text == "never" { return nil }
        if let scalar = field.scalar, scalar.value == .text {
            let choices: [(name: String, word: RetryRule?)] = [("never", nil)]
            return bag.word(field, choices) ?? nil
        }
        let example = "retry: {backoff: exponential, from: 30s, to: 5h}"
        guard let fields = Fields(field, .retry, bag, example) else { return nil }
        var rule = RetryRule()
        rule.backoff = fields.word("backoff") ?? rule.backoff
        rule.from = fields.duration("from") ?? rule.from
        rule.to = fields.duration("to") ?? max(rule.to, rule.from)
        rule.attempts = fields.count("attempts")
        if let from = fields["from"], rule.from > rule.to {
            bag.error(
                .fromOverTo, at: from.node.span,
                "`from` is longer than `to`: \(Quantity.text(rule.from)) and "
                    + Quantity.text(rule.to),
                help: "write the first delay as `from`, the longest as `to`")
        } else if let to = fields["to"], rule.from > rule.to {
            bag.error(
                .fromOverTo, at: to.node.span,
                "`to` is shorter than `from`, which is \(Quantity.text(rule.from)) by default",
                help: "write a shorter `from` too")
        }
        return rule
    }
}
