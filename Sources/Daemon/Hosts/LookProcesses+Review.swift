// SPDX-License-Identifier: Apache-2.0

extension LookProcesses {
    /// Inspects the changed manifest `name` of a hosted app.
    ///
    /// - Parameters:
    ///   - looking: The arguments of a process that prints its `ManifestFacts`.
    ///   - trusting: Those of a process that prints why others could change it, or nothing.
    ///   - done: Called with the reason why its host does not adopt it; nil: it does. Not called if an
    ///     inspection failed, or a later one has taken its place.
    func review(
        _ name: String, of app: String, looking: [String], trusting: [String],
        done: @escaping (String?) -> Void
    ) {
        run(looking, about: name, isReplaceable: true) { [unowned self] in
            guard case .ended(_, let text) = $0 else { return }
            if let problem = Self.problem(in: text, of: app) { return done(problem) }
            // The next process would take the place of a later inspection.
            guard !isAbout(name) else { return }
            run(trusting, about: name, isReplaceable: true) {
                guard case .ended(.exit(0), let refusal) = $0 else { return }
                done(refusal.isEmpty ? nil : "others could change it: \(refusal)")
            }
        }
    }

    private static func problem(in text: String, of app: String) -> String? {
        guard let found = ManifestFacts(text)?.app else {
            return ManifestFacts.problem(in: text) ?? "it is not valid"
        }
        return found == app ? nil : "its `app` is \(found) now"
    }
}
