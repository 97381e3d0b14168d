// SPDX-License-Identifier: Apache-2.0

/// Tasks read from another scheduler, and notes about features that were not converted.
package struct PortableApp: Equatable, Sendable {
    /// The app's identifier.
    package var app: String
    /// The source of the tasks, for a comment.
    package var origin: String
    /// Comments of the source without a task.
    var comments: [String] = []
    package var tasks: [PortableTask] = []
    package var notes: [ConversionNote] = []

    /// Whether a meaning was lost.
    package var losesMeaning: Bool { notes.contains { $0.weight == .lost } }

    /// One app per user, since all tasks of a manifest run as one; in the order of the file. The first keeps the name,
    /// and with it the comments and notes without a task.
    package func byUser() -> [PortableApp] {
        var users: [String?] = []
        for task in tasks where !users.contains(task.user) { users.append(task.user) }
        guard users.count > 1 else { return [self] }
        return users.enumerated().map { index, user in
            var one = self
            one.tasks = tasks.filter { $0.user == user }
            let others = Set(tasks.filter { $0.user != user }.map(\.place))
            one.notes = notes.filter { !others.contains($0.place) }
            if index > 0 {
                one.comments = []
                let places = Set(one.tasks.map(\.place))
                one.notes = notes.filter { places.contains($0.place) }
                one.rename("\(app).\(TaskNames.part(user ?? "default"))")
            }
            return one
        }
    }

    private mutating func rename(_ name: String) {
        for index in tasks.indices where tasks[index].identifier.hasPrefix(app + ".") {
            tasks[index].identifier = name + tasks[index].identifier.dropFirst(app.count)
        }
        app = name
    }
}

extension PortableApp {
    /// Joins the tasks of several files into one app; adds numbers to equal names.
    package init(joining parts: [PortableApp], app: String, origin: String) {
        self.init(app: app, origin: origin)
        var names = TaskNames(app: app)
        for part in parts {
            comments += part.comments
            notes += part.notes
            for task in part.tasks {
                var task = task
                task.identifier = names.identifier(part.shortName(task))
                tasks.append(task)
            }
        }
    }
}
